package io.github.slotbloom.internal.bits;

import static io.github.slotbloom.core.BloomParameters.BLOCK_BITS;
import static io.github.slotbloom.core.BloomParameters.MAX_HASHES;

import io.github.slotbloom.core.Layout;

/**
 * Computes the false positive rate of one block of {@link Layout#BLOCKED}, given how many keys fell
 * into the block. The rates are exact: they come from the distribution of the number of bits set,
 * not from its mean. Since (x/512)^k is convex, the mean alone would promise a lower rate than is
 * measured.
 */
public final class BlockOccupancy {

  /** After this many probes, all bits but one in 10^7 are set, and the rate is taken as 1. */
  private static final int MAX_PROBES = 16 * BLOCK_BITS;

  /**
   * Smaller probabilities are cut off, so that no time is spent on denormal numbers. Rates down to
   * 2^-64 are not affected.
   */
  private static final double NEGLIGIBLE = 1e-40;

  private static final double[][] RATES = rates();

  private BlockOccupancy() {}

  /** Returns the largest number of keys in a block for which the rate is distinguished from 1. */
  public static long maxKeys(int hashes) {
    return MAX_PROBES / hashes;
  }

  /**
   * Returns the false positive rate of a block with this many keys, each of which set this many
   * bits.
   */
  public static double falsePositiveRate(int hashes, long keys) {
    return keys > maxKeys(hashes) ? 1 : RATES[hashes][(int) keys];
  }

  /**
   * Computes the distribution of bits set probe by probe: the next probe finds a bit that is set
   * with probability x/512, and sets one more otherwise.
   */
  private static double[][] rates() {
    double[][] power = powers();
    double[][] rates = new double[MAX_HASHES + 1][];
    for (int hashes = 1; hashes <= MAX_HASHES; hashes++) {
      rates[hashes] = new double[MAX_PROBES / hashes + 1];
    }
    double[] probability = new double[BLOCK_BITS + 1];
    probability[0] = 1;
    int low = 0;
    int high = 0;
    for (int probes = 1; probes <= MAX_PROBES; probes++) {
      if (high < BLOCK_BITS && probability[high] > NEGLIGIBLE) {
        high++;
      }
      for (int x = high; x > low; x--) {
        probability[x] =
            (probability[x] * x + probability[x - 1] * (BLOCK_BITS - x + 1)) / BLOCK_BITS;
      }
      probability[low] = probability[low] * low / BLOCK_BITS;
      while (probability[low] < NEGLIGIBLE) {
        probability[low++] = 0;
      }
      for (int hashes = 1; hashes <= MAX_HASHES; hashes++) {
        if (probes % hashes == 0) {
          double rate = 0;
          for (int x = low; x <= high; x++) {
            rate += probability[x] * power[hashes][x];
          }
          rates[hashes][probes / hashes] = rate;
        }
      }
    }
    return rates;
  }

  private static double[][] powers() {
    double[][] power = new double[MAX_HASHES + 1][BLOCK_BITS + 1];
    for (int x = 0; x <= BLOCK_BITS; x++) {
      double fraction = (double) x / BLOCK_BITS;
      power[0][x] = 1;
      for (int hashes = 1; hashes <= MAX_HASHES; hashes++) {
        power[hashes][x] = power[hashes - 1][x] * fraction;
      }
    }
    return power;
  }
}
