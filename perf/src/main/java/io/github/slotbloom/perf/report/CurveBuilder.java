package io.github.slotbloom.perf.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collects the points of a curve as they are measured. */
public final class CurveBuilder {

  private final Curve empty;
  private final Map<String, List<double[]>> lines = new LinkedHashMap<>();

  private CurveBuilder(Curve empty) {
    this.empty = empty;
  }

  public static CurveBuilder logarithmic(String file, String title, String xAxis, String yAxis) {
    return new CurveBuilder(new Curve(file, title, xAxis, yAxis, true, true, List.of()));
  }

  /** Creates a builder with a logarithmic x axis and a linear y axis. */
  public static CurveBuilder overLogarithmic(
      String file, String title, String xAxis, String yAxis) {
    return new CurveBuilder(new Curve(file, title, xAxis, yAxis, true, false, List.of()));
  }

  public static CurveBuilder linear(String file, String title, String xAxis, String yAxis) {
    return new CurveBuilder(new Curve(file, title, xAxis, yAxis, false, false, List.of()));
  }

  public void point(String line, double x, double y) {
    lines.computeIfAbsent(line, name -> new ArrayList<>()).add(new double[] {x, y});
  }

  public Curve build() {
    return new Curve(
        empty.file(),
        empty.title(),
        empty.xAxis(),
        empty.yAxis(),
        empty.xLogarithmic(),
        empty.yLogarithmic(),
        lines.entrySet().stream()
            .map(line -> new Curve.Line(line.getKey(), column(line, 0), column(line, 1)))
            .toList());
  }

  private static double[] column(Map.Entry<String, List<double[]>> line, int column) {
    return line.getValue().stream().mapToDouble(point -> point[column]).toArray();
  }
}
