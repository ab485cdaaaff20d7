package io.github.slotbloom.report;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * How this process uses a filter that it opened. The counts are read one after the other while
 * others go on.
 *
 * @param usage what was asked and answered since it was opened
 * @param waited questions and adds that waited for the database, in vain too; a call of many keys
 *     counts each
 * @param mirror what is held in memory; empty without a mirror, and while it is being loaded
 */
public record ProcessStatistics(FilterUsage usage, long waited, Optional<MirrorState> mirror) {

  /**
   * {@return the part of all questions and adds that was answered from memory alone, 0 to 1; empty
   * without one}
   */
  public OptionalDouble memoryHitRate() {
    long all = usage.questions() + usage.adds();
    return all == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of(Math.max(0, 1 - (double) waited / all));
  }

  /**
   * What a process holds of a filter in memory.
   *
   * @param bytes memory that the bits take
   * @param cursor number of the newest journal entry that is in it
   * @param entriesBehind entries of the journal that it lacked when the database was last heard of
   * @param age how long ago everything in the database was in it, at most
   */
  public record MirrorState(long bytes, long cursor, long entriesBehind, Duration age) {}
}
