package io.github.slotbloom.cli.line;

import io.github.slotbloom.cli.terminal.ProgressBar;
import java.util.Locale;
import java.util.OptionalLong;

/** Describes the progress of a pipeline in words. */
public final class LineProgress {

  private final Counts counts;
  private final OptionalLong size;
  private final long begin = System.nanoTime();

  /**
   * @param size the size of the input in bytes, if known
   */
  public LineProgress(Counts counts, OptionalLong size) {
    this.counts = counts;
    this.size = size;
  }

  public String inWords() {
    double seconds = (System.nanoTime() - begin) / 1e9;
    return bar()
        + String.format(
            Locale.ROOT,
            "%,d lines, %,d seen before, %,.0f lines/s",
            counts.lines(),
            counts.no(),
            counts.lines() / seconds);
  }

  private String bar() {
    return size.isEmpty() || size.getAsLong() == 0
        ? ""
        : ProgressBar.of((double) counts.bytes() / size.getAsLong());
  }
}
