package io.github.slotbloom.core;

import static io.github.slotbloom.core.BloomParameters.BLOCK_BITS;

import io.github.slotbloom.error.InvalidParameterException;
import java.util.Collection;
import java.util.Objects;

/**
 * The number of set bits in one generation at one moment, with the estimates that follow from it:
 * how many keys the generation holds and its current false positive rate. The estimates use only
 * the bits that are set, so they do not depend on any counter. Immutable and thread-safe.
 */
public final class Fill {

  private final BloomParameters parameters;
  private final long bitsSet;
  private final boolean saturated;
  private final double estimatedKeys;
  private final double falsePositiveRate;

  private Fill(
      BloomParameters parameters,
      long bitsSet,
      boolean saturated,
      double estimatedKeys,
      double falsePositiveRate) {
    this.parameters = parameters;
    this.bitsSet = bitsSet;
    this.saturated = saturated;
    this.estimatedKeys = estimatedKeys;
    this.falsePositiveRate = falsePositiveRate;
  }

  /**
   * Computes the fill of a generation with {@link Layout#STANDARD}.
   *
   * @param parameters the shape of the generation
   * @param bitsSet the number of bits that are 1, from 0 to {@link BloomParameters#bits()}
   * @return the fill
   * @throws InvalidParameterException if the layout is a different one, or the number is outside
   *     its range
   */
  public static Fill standard(BloomParameters parameters, long bitsSet) {
    checkLayout(parameters, Layout.STANDARD);
    long bits = parameters.bits();
    if (bitsSet < 0 || bitsSet > bits) {
      throw new InvalidParameterException(
          "bitsSet is " + bitsSet + "; a filter of " + bits + " bits has 0 to " + bits + " set");
    }
    return new Fill(
        parameters,
        bitsSet,
        bitsSet == bits,
        estimatedKeys(bits, parameters.hashes(), bitsSet),
        Math.pow((double) bitsSet / bits, parameters.hashes()));
  }

  /**
   * Computes the fill of a generation with {@link Layout#BLOCKED}.
   *
   * @param parameters the shape of the generation
   * @param histogram 513 numbers: element x is the number of blocks with x bits set. Blocks that
   *     are not counted there are taken to have no bit set, like missing slot rows. The array is
   *     not kept
   * @return the fill
   * @throws InvalidParameterException if the layout is a different one, a number is negative, or
   *     there are more blocks than the generation has
   */
  public static Fill blocked(BloomParameters parameters, long[] histogram) {
    checkLayout(parameters, Layout.BLOCKED);
    if (histogram.length != BLOCK_BITS + 1) {
      throw new InvalidParameterException(
          "The histogram has " + histogram.length + " elements; pass " + (BLOCK_BITS + 1));
    }
    long blocks = parameters.bits() / BLOCK_BITS;
    long counted = 0;
    long bitsSet = 0;
    double keys = 0;
    double rates = 0;
    for (int x = 0; x <= BLOCK_BITS; x++) {
      long count = histogram[x];
      if (count < 0 || count > blocks - counted) {
        throw new InvalidParameterException(
            ("The histogram has %s blocks with %s bits set; use numbers that are not negative and"
                    + " add up to at most %s")
                .formatted(count, x, blocks));
      }
      counted += count;
      bitsSet += count * x;
      keys += count * estimatedKeys(BLOCK_BITS, parameters.hashes(), x);
      rates += count * Math.pow((double) x / BLOCK_BITS, parameters.hashes());
    }
    return new Fill(parameters, bitsSet, histogram[BLOCK_BITS] > 0, keys, rates / blocks);
  }

  /**
   * Computes the probability that at least one of several bit arrays takes an absent key for a
   * member: 1 - product of (1 - rate), because they err independently.
   *
   * @param rates the rate of each bit array, from 0 to 1
   * @return the probability, from 0 to 1; rates far below 1e-16 are not lost by rounding
   */
  public static double anyFalsePositiveRate(Collection<Double> rates) {
    double anyOf = -Math.expm1(rates.stream().mapToDouble(rate -> Math.log1p(-rate)).sum());
    // Without a bit it would be -0.0.
    return Math.max(0.0, anyOf);
  }

  /** {@return the shape of the generation that was counted} */
  public BloomParameters parameters() {
    return parameters;
  }

  /** {@return the number of bits that are 1} */
  public long bitsSet() {
    return bitsSet;
  }

  /** {@return the share of the bits that are 1, from 0 to 1} */
  public double fraction() {
    return (double) bitsSet / parameters.bits();
  }

  /**
   * Estimates how many different keys were added: -(m/k) ln(1 - X/m) for X of m bits set (Swamidass
   * and Baldi: Mathematical Correction for Fingerprint Similarity Measures, 2007), with {@link
   * Layout#BLOCKED} added up over the blocks.
   *
   * @return the estimate, always finite; if {@link #saturated()}, it means "at least"
   */
  public double estimatedKeys() {
    return estimatedKeys;
  }

  /**
   * Returns true if all bits of the generation or of at least one block are set. Any larger number
   * of keys has the same effect, so the estimate is computed as if the last bit were still clear.
   *
   * @return true if {@link #estimatedKeys()} means "at least"
   */
  public boolean saturated() {
    return saturated;
  }

  /**
   * Computes the current false positive rate: (X/m)^k for X of m bits set, with {@link
   * Layout#BLOCKED} the mean of (x/512)^k over the blocks.
   *
   * @return the probability, from 0 to 1, that a key that was never added is answered as a member
   */
  public double falsePositiveRate() {
    return falsePositiveRate;
  }

  private static double estimatedKeys(long bits, int hashes, long bitsSet) {
    long counted = Math.min(bitsSet, bits - 1);
    return -Math.log1p(-(double) counted / bits) * bits / hashes;
  }

  private static void checkLayout(BloomParameters parameters, Layout expected) {
    Objects.requireNonNull(parameters, "parameters");
    if (parameters.layout() != expected) {
      throw new InvalidParameterException(
          "The layout is " + parameters.layout() + "; this count is for " + expected);
    }
  }
}
