package io.github.slotbloom.perf.report;

import java.util.Locale;

/** Formats numbers for people, with three significant digits and grouped thousands. */
public final class Figures {

  private Figures() {}

  public static String of(double value) {
    double size = Math.abs(value);
    if (size >= 100 || (value == Math.rint(value) && size < 1e15)) {
      return String.format(Locale.ROOT, "%,.0f", value);
    }
    if (size >= 10) {
      return String.format(Locale.ROOT, "%.1f", value);
    }
    if (size >= 0.01) {
      return String.format(Locale.ROOT, size >= 1 ? "%.2f" : "%.3f", value);
    }
    return String.format(Locale.ROOT, "%.3g", value);
  }

  public static String percent(double part) {
    return String.format(Locale.ROOT, "%.3f %%", part * 100);
  }
}
