package io.github.slotbloom.report;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The use of an open filter by this process. The counts are read one after the other while calls go
 * on, so they may not match exactly.
 *
 * @param usage questions and answers since the filter was opened
 * @param waited questions and adds that waited for the database, including failed ones; a call of
 *     many keys counts every key
 * @param mirror the state of the mirror; empty without a mirror and while it is being loaded
 */
public record ProcessStatistics(FilterUsage usage, long waited, Optional<MirrorState> mirror) {

  /**
   * {@return the share of the questions and adds that were answered from memory alone, from 0 to 1;
   * empty if there were none}
   */
  public OptionalDouble memoryHitRate() {
    long all = usage.questions() + usage.adds();
    return all == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of(Math.max(0, 1 - (double) waited / all));
  }

  /**
   * The state of the mirror of a filter in the memory of a process.
   *
   * @param bytes memory of the bits, in bytes
   * @param cursor number of the newest journal entry in the mirror
   * @param entriesBehind number of journal entries that the mirror lacked at the last read of the
   *     database
   * @param age an upper bound of the time since the mirror held everything in the database
   */
  public record MirrorState(long bytes, long cursor, long entriesBehind, Duration age) {}
}
