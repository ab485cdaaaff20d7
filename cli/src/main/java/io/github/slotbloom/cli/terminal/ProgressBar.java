package io.github.slotbloom.cli.terminal;

import java.util.Locale;

/** Draws a progress bar. */
public final class ProgressBar {

  private static final int WIDTH = 24;

  private ProgressBar() {}

  /**
   * Returns the bar with room for text after it.
   *
   * @param part the completed part, from 0; values above 1 count as 1
   */
  public static String of(double part) {
    double shown = Math.min(1, part);
    int full = (int) Math.round(shown * WIDTH);
    return String.format(
        Locale.ROOT, "[%s%s] %3.0f %%  ", "#".repeat(full), ".".repeat(WIDTH - full), shown * 100);
  }
}
