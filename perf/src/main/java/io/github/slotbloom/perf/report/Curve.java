package io.github.slotbloom.perf.report;

import java.util.List;

/**
 * A figure as a function of another one.
 *
 * @param file the name of the plot without its extension
 */
public record Curve(
    String file,
    String title,
    String xAxis,
    String yAxis,
    boolean xLogarithmic,
    boolean yLogarithmic,
    List<Line> lines) {

  /** One line of the plot. */
  public record Line(String name, double[] x, double[] y) {}
}
