package io.github.slotbloom.core;

/**
 * How many keys two filters have, and have in common, estimated from the bits that are set.
 *
 * <p>The keys of the union are those that the bits of both together speak of, which are the bits
 * that a filter of all these keys would have; the keys in common follow by |A &#8745; B| = |A| +
 * |B| - |A &#8746; B| (Swamidass and Baldi: Mathematical Correction for Fingerprint Similarity
 * Measures and Efficient Chemical Retrieval, 2007). Each number is estimated as in {@link
 * Fill#estimatedKeys()}. With m bits and k bits a key, the estimate of the union is off by some
 * sqrt(m)/(2k) keys, a few hundred in a million, and that of what they have in common by about
 * twice as much, however few these are.
 *
 * @param first estimated keys of the one filter, 0 or more
 * @param second estimated keys of the other one, 0 or more
 * @param union estimated keys that are in either or both; at least as many as in each of them
 * @param saturated whether a bit array, or a block of one, has no bit left, so that the numbers
 *     mean "at least"
 */
public record Similarity(double first, double second, double union, boolean saturated) {

  /** Two filters without a generation. */
  public static final Similarity NONE = new Similarity(0, 0, 0, false);

  /**
   * What the bits of two generations of the same shape say.
   *
   * @param first bits of the one
   * @param second bits of the other
   * @param either bits that are set in at least one of them
   * @return the estimates
   */
  public static Similarity of(Fill first, Fill second, Fill either) {
    return new Similarity(
        first.estimatedKeys(), second.estimatedKeys(), either.estimatedKeys(), either.saturated());
  }

  /**
   * What the bits of a generation say that only the second filter has: its keys count as keys of
   * that filter alone.
   *
   * @param second its bits
   * @return the estimates
   */
  public static Similarity ofSecondAlone(Fill second) {
    double keys = second.estimatedKeys();
    return new Similarity(0, keys, keys, second.saturated());
  }

  /** {@return the same with the two filters in the other order} */
  public Similarity swapped() {
    return new Similarity(second, first, union, saturated);
  }

  /**
   * Adds up two pairs of generations, whose keys are taken to be others.
   *
   * @param other another pair
   * @return the sums
   */
  public Similarity plus(Similarity other) {
    return new Similarity(
        first + other.first,
        second + other.second,
        union + other.union,
        saturated || other.saturated);
  }

  /** {@return estimated keys that are in both, 0 or more} */
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
