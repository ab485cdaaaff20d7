package io.github.slotbloom.perf.report;

import java.util.List;

/**
 * How one figure goes with another.
 *
 * @param file name of the plot, without its ending
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
