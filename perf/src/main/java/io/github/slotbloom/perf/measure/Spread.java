package io.github.slotbloom.perf.measure;

import java.util.Arrays;

/** The median of some figures, with their smallest and largest. */
public record Spread(double median, double min, double max) {

  public static Spread of(double... values) {
    if (values.length == 0) {
      throw new IllegalArgumentException("There are no figures.");
    }
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    double median =
        sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    return new Spread(median, sorted[0], sorted[sorted.length - 1]);
  }
}
