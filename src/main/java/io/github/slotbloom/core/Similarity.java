package io.github.slotbloom.core;

/**
 * The estimated numbers of keys in two filters and of the keys that they have in common. The
 * estimates come from the bits that are set.
 *
 * <p>The union is estimated from the bits that are set in at least one filter. A filter with all
 * these keys would have the same bits. The number of common keys follows from |A &#8745; B| = |A| +
 * |B| - |A &#8746; B| (Swamidass and Baldi: Mathematical Correction for Fingerprint Similarity
 * Measures and Efficient Chemical Retrieval, 2007). Each number is estimated as in {@link
 * Fill#estimatedKeys()}. With m bits and k bits per key, the error of the union is about
 * sqrt(m)/(2k) keys, a few hundred in a million. The error of the number of common keys is about
 * twice as large, however few they are.
 *
 * <p>Keys that were removed still have their bits. {@code FilterAdmin.similarityTo} counts them and
 * takes them out of all three numbers.
 *
 * @param first estimated keys of the one filter, 0 or more
 * @param second estimated keys of the other filter, 0 or more
 * @param union estimated keys that are in at least one filter; not less than the keys of each
 *     filter
 * @param saturated true if all bits of a bit array or of a block are set, so that the numbers mean
 *     "at least"
 */
public record Similarity(double first, double second, double union, boolean saturated) {

  /** The similarity of two filters without generations. */
  public static final Similarity NONE = new Similarity(0, 0, 0, false);

  /**
   * Estimates the similarity of two generations of the same shape.
   *
   * @param first fill of the one generation
   * @param second fill of the other generation
   * @param either fill of the bits that are set in at least one of them
   * @return the estimates
   */
  public static Similarity of(Fill first, Fill second, Fill either) {
    return new Similarity(
        first.estimatedKeys(), second.estimatedKeys(), either.estimatedKeys(), either.saturated());
  }

  /** {@return the same estimates with the two filters in the other order} */
  public Similarity swapped() {
    return new Similarity(second, first, union, saturated);
  }

  /**
   * Adds the estimates of another pair of generations, whose keys are taken to be different.
   *
   * @param other the estimates of the other pair
   * @return the sums
   */
  public Similarity plus(Similarity other) {
    return new Similarity(
        first + other.first,
        second + other.second,
        union + other.union,
        saturated || other.saturated);
  }

  /** {@return the estimated number of keys that are in both filters, 0 or more} */
  public double intersection() {
    return Math.max(0, first + second - union);
  }

  /**
   * {@return the Jaccard index |A &#8745; B| / |A &#8746; B|, from 0 to 1; 0 where both are empty}
   */
  public double jaccard() {
    return union == 0 ? 0 : Math.min(1, intersection() / union);
  }
}
