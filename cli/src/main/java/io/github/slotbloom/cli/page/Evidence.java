package io.github.slotbloom.cli.page;

import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.report.Inspection;
import io.github.slotbloom.report.VerifyReport;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The data of a filter for one report. Its parts are read one after the other while others use the
 * filter.
 *
 * @param info the figures of the filter
 * @param inspection the fill of each part, with at most {@link #MOST_RANGES} ranges per generation
 * @param verified the result of verifying; null if it was left out
 * @param madeAt the time of reading
 * @param madeBy the program and its version
 */
public record Evidence(
    FilterInfo info,
    Inspection inspection,
    @Nullable VerifyReport verified,
    Instant madeAt,
    String madeBy) {

  /**
   * The most ranges per generation. A phone can still show them apart, and the page stays small.
   */
  public static final int MOST_RANGES = 16 * HeatGrid.COLUMNS;
}
