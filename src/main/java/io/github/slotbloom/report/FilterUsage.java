package io.github.slotbloom.report;

import java.util.OptionalDouble;

/**
 * Counts of the lookups and adds of a filter, by answer. A new key that was added in a transaction
 * of a caller counts once the caller says that the transaction has committed ({@link
 * io.github.slotbloom.TransactionalWrites#committed}), because it may be rolled back. Answers that
 * were given because the database could not be reached are not counted either.
 *
 * @param negatives lookups answered no: the key was certainly not added
 * @param positives lookups answered yes, which is wrong at the false positive rate
 * @param newKeys adds that were answered "new"
 * @param seenKeys adds that were answered "seen", which is wrong at the false positive rate
 * @param falsePositives keys that counted as members and that callers reported as false positives
 */
public record FilterUsage(
    long negatives, long positives, long newKeys, long seenKeys, long falsePositives) {

  /** The usage of a filter that was not used yet. */
  public static final FilterUsage NONE = new FilterUsage(0, 0, 0, 0, 0);

  /** {@return the number of keys that were looked up} */
  public long lookups() {
    return negatives + positives;
  }

  /** {@return the number of keys that were added, new or not} */
  public long adds() {
    return newKeys + seenKeys;
  }

  /** {@return the share of the lookups answered yes, from 0 to 1; empty if there was no lookup} */
  public OptionalDouble hitRate() {
    return share(positives, lookups());
  }

  /**
   * {@return the share of the adds that were answered "seen", from 0 to 1; empty if there was no
   * add}
   */
  public OptionalDouble duplicateRate() {
    return share(seenKeys, adds());
  }

  /**
   * Computes the observed false positive rate: the reported false positives divided by all lookups
   * and adds of absent keys. Those are the keys that were answered no or "new", plus the reported
   * false positives. The result is an average over the whole time, in which the filter may have
   * become fuller. It is too low if callers do not report all false positives.
   *
   * @return the rate, from 0 to 1; empty if no false positive was reported, because then it is
   *     unknown if callers report them at all
   */
  public OptionalDouble observedFalsePositiveRate() {
    return falsePositives == 0
        ? OptionalDouble.empty()
        : share(falsePositives, negatives + newKeys + falsePositives);
  }

  private static OptionalDouble share(long part, long all) {
    return all == 0 ? OptionalDouble.empty() : OptionalDouble.of((double) part / all);
  }

  /**
   * Returns the usage since an earlier moment.
   *
   * @param before the usage at that moment
   * @return the difference
   */
  public FilterUsage since(FilterUsage before) {
    return new FilterUsage(
        negatives - before.negatives,
        positives - before.positives,
        newKeys - before.newKeys,
        seenKeys - before.seenKeys,
        falsePositives - before.falsePositives);
  }
}
