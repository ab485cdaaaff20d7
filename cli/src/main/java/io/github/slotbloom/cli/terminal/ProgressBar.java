package io.github.slotbloom.cli.terminal;

import java.util.Locale;

/** Draws how much is behind us. */
public final class ProgressBar {

  private static final int WIDTH = 24;

  private ProgressBar() {}

  /**
   * The bar, and room for what follows it.
   *
   * @param part of all, from 0; what is beyond 1 counts as 1
   */
  public static String of(double part) {
    double shown = Math.min(1, part);
    int full = (int) Math.round(shown * WIDTH);
    return String.format(
        Locale.ROOT, "[%s%s] %3.0f %%  ", "#".repeat(full), ".".repeat(WIDTH - full), shown * 100);
  }
}
