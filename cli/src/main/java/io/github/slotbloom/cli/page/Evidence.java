package io.github.slotbloom.cli.page;

import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.report.Inspection;
import io.github.slotbloom.report.VerifyReport;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What was read of a filter for one report, one after the other while others use it.
 *
 * @param info its figures
 * @param inspection how full each part of it is; of {@link #MOST_RANGES} ranges a generation at
 *     most
 * @param verified what verifying it came to; null if that was left out
 * @param madeAt when it was read
 * @param madeBy program and version
 */
public record Evidence(
    FilterInfo info,
    Inspection inspection,
    @Nullable VerifyReport verified,
    Instant madeAt,
    String madeBy) {

  /** So many can be told apart on a phone, and keep the page small. */
  public static final int MOST_RANGES = 16 * HeatGrid.COLUMNS;
}
