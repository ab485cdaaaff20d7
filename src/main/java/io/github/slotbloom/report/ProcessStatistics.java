package io.github.slotbloom.report;

import java.time.Duration;
import java.util.Optional;

/**
 * The use of an open filter by this process. All of it is in memory. The counts are read one after
 * the other while calls go on, so they may not match exactly. Only this library implements it.
 */
public interface ProcessStatistics {

  /** {@return lookups and answers since the filter was opened} */
  FilterUsage usage();

  /**
   * {@return those answers to lookups for which the database was queried; the others came from
   * memory}
   */
  DatabaseAnswers byDatabase();

  /**
   * {@return lookups and adds that waited for the database, including failed ones; a call of many
   * keys counts every key}
   */
  long waited();

  /** {@return keys that wait to be added or removed by the next transactions} */
  long queuedKeys();

  /**
   * {@return journal entries that wait to be folded, as last heard; half a second old at most while
   * the database answers}
   */
  long backlog();

  /**
   * {@return the part of the capacity that is used, as last heard; more than 1 if the filter is
   * overfull} Of a window it is the part of the current bucket.
   */
  double used();

  /**
   * {@return the current false positive rate and its target} With a mirror, the rate is computed
   * now from the bits that are set in memory, which takes about a second for some gigabytes.
   * Without a mirror, it is computed from the number of keys that this process last read from the
   * catalog, so an error in that number is not noticed.
   */
  CurrentFalsePositiveRate currentFalsePositiveRate();

  /** {@return the state of the mirror; empty without a mirror and while it is being loaded} */
  Optional<MirrorState> mirror();

  /**
   * Lookups that were answered after the database was queried. If it was queried for some keys of a
   * call, all keys of the call count.
   *
   * @param negatives lookups answered no: the key was certainly not added
   * @param positives lookups answered yes
   */
  record DatabaseAnswers(long negatives, long positives) {}

  /**
   * The state of the mirror of a filter in the memory of a process.
   *
   * @param bytes memory of the bits, in bytes
   * @param cursor number of the newest journal entry in the mirror
   * @param entriesBehind number of journal entries that the mirror lacked at the last read of the
   *     database
   * @param age an upper bound of the time since the mirror held everything in the database
   */
  record MirrorState(long bytes, long cursor, long entriesBehind, Duration age) {}
}
