package io.github.slotbloom.perf.report;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import javax.imageio.ImageIO;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler.LegendLayout;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Draws curves as PNG files. */
public final class Plots {

  private static final int MOST_MARKED = 20;

  private Plots() {}

  public static void write(RunReport run, Path directory) throws IOException {
    for (CaseReport one : run.cases()) {
      for (Curve curve : one.curves()) {
        Path file = directory.resolve(curve.file() + ".png");
        ImageIO.write(BitmapEncoder.getBufferedImage(chart(curve)), "png", file.toFile());
      }
    }
  }

  static XYChart chart(Curve curve) {
    XYChart chart =
        new XYChartBuilder()
            .width(900)
            .height(520)
            .title(curve.title())
            .xAxisTitle(curve.xAxis())
            .yAxisTitle(curve.yAxis())
            .build();
    chart
        .getStyler()
        .setXAxisLogarithmic(curve.xLogarithmic())
        .setYAxisLogarithmic(curve.yLogarithmic())
        .setLegendPosition(LegendPosition.OutsideS)
        .setLegendLayout(LegendLayout.Horizontal)
        .setChartBackgroundColor(Color.WHITE)
        .setPlotBorderVisible(false);
    for (Curve.Line line : curve.lines()) {
      var series = chart.addSeries(line.name(), line.x(), line.y());
      if (line.x().length > MOST_MARKED) {
        series.setMarker(SeriesMarkers.NONE);
      }
    }
    return chart;
  }
}
