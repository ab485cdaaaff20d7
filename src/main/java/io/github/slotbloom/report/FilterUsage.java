package io.github.slotbloom.report;

import java.util.OptionalDouble;

/**
 * What a filter was asked, and what it answered. Adds in transactions of callers are not in it,
 * since those may be rolled back, nor answers that were given because the database could not be
 * reached.
 *
 * @param negatives questions that were answered "certainly not there"
 * @param positives questions that were answered "there", which is wrong at the false positive rate
 * @param newKeys adds that were answered "new"
 * @param seenKeys adds that were answered "seen", which is wrong at the false positive rate
 * @param falsePositives keys that were taken for members, and that callers reported not to be
 */
public record FilterUsage(
    long negatives, long positives, long newKeys, long seenKeys, long falsePositives) {

  /** Nothing was asked yet. */
  public static final FilterUsage NONE = new FilterUsage(0, 0, 0, 0, 0);

  /** {@return how many keys were asked for} */
  public long questions() {
    return negatives + positives;
  }

  /** {@return how many keys were added, new or not} */
  public long adds() {
    return newKeys + seenKeys;
  }

  /** {@return the part of all questions that was answered "there", 0 to 1; empty without one} */
  public OptionalDouble hitRate() {
    return share(positives, questions());
  }

  /** {@return the part of all adds that was answered "seen", 0 to 1; empty without one} */
  public OptionalDouble duplicateRate() {
    return share(seenKeys, adds());
  }

  /**
   * How often a key that is not there was taken for one that is: false positives by all questions
   * and adds of absent keys, which are those that were answered "not there" or "new", and the false
   * positives. It is an average over all that time, in which the filter may have become fuller; and
   * it is too low by what callers do not report.
   *
   * @return 0 to 1; empty if no false positive was reported, since it is not known then whether
   *     anybody would
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
   * What was used since then.
   *
   * @param before a part of this
   * @return the rest
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
