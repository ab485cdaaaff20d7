package io.github.slotbloom.cli.page;

import static io.github.slotbloom.core.BloomParameters.BLOCK_BITS;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Layout;

/**
 * Computes how much the parts of a generation can differ by chance. A difference that it rejects
 * would happen by chance less than once in 10^9 generations.
 *
 * <p>A part with a share p of the m bits should have p X of the X bits that are set. Its distance Y
 * from that is judged by Bernstein's inequality,
 *
 * <p>P(|Y| >= t) <= 2 exp(-t^2 / (2 (v + c t / 3)))
 *
 * <p>with the variance v of Y and the most c that one choice changes, which does not underrate the
 * tails where bits are few, as a normal distribution would. The bound is divided by the number of
 * parts (Bonferroni).
 *
 * <ul>
 *   <li>{@link Layout#STANDARD}: given X, each set of X bits is as likely as any other, so Y is
 *       hypergeometric, for which the inequality holds as it does for binomial numbers (Hoeffding:
 *       Probability Inequalities for Sums of Bounded Random Variables, 1963, section 6): c = 1, v =
 *       p m f (1 - f) (1 - p) for the fill f = X/m.
 *   <li>{@link Layout#BLOCKED}: all bits of a key are in one block, so its parts vary more than
 *       binomially. Blocks are alike and nearly independent, with a Poisson number of keys each, of
 *       mean q. A bit of a block is clear with probability g(1) and two with g(2), where g(j) =
 *       exp(-q (1 - (1 - j/512)^k)), so the set bits of a block have the variance 512 g(1) (1 -
 *       g(1)) + 512 * 511 (g(2) - g(1)^2); q follows from 1 - g(1) = f. A key changes k bits at
 *       most: c = k.
 * </ul>
 */
final class Chance {

  private static final double LOG_IMPROBABLE = 9 * Math.log(10);

  private static final int BLOCK_SLOTS = BLOCK_BITS / Long.SIZE;

  private final BloomParameters parameters;
  private final int parts;
  private final boolean blocked;
  private final double clear;

  /** The mean number of keys per block with BLOCKED. */
  private final double keysOfBlock;

  /**
   * @param bitsSet the set bits of the generation
   * @param parts the number of parts that are judged
   */
  Chance(BloomParameters parameters, long bitsSet, int parts) {
    this.parameters = parameters;
    this.parts = parts;
    blocked = parameters.layout() == Layout.BLOCKED;
    // If all bits were set, no number of keys would be large enough.
    clear = Math.max(1, parameters.bits() - bitsSet) / (double) parameters.bits();
    keysOfBlock = -Math.log(clear) / sets(1);
  }

  /** Returns the probability that a key sets any of a number of bits of its block. */
  private double sets(int bits) {
    return 1 - Math.pow(1 - (double) bits / BLOCK_BITS, parameters.hashes());
  }

  /** Returns the probability that a number of bits of a block are all clear. */
  private double clear(int bits) {
    return Math.exp(-keysOfBlock * sets(bits));
  }

  /** Returns the largest distance by chance of a part's set bits from its share. */
  double limit(long bitsOfPart) {
    double logTail = LOG_IMPROBABLE + Math.log(2.0 * parts);
    double linear = logTail * (blocked ? parameters.hashes() : 1) / 3;
    return linear + Math.sqrt(linear * linear + 2 * logTail * variance(bitsOfPart));
  }

  /** Returns the variance of the number of set bits in a part, given that of the generation. */
  double variance(long bitsOfPart) {
    double share = (double) bitsOfPart / parameters.bits();
    return bitsOfPart * varianceOfBit() * (1 - share);
  }

  /**
   * Returns what a bit adds to the variance of a part, including the covariance with other bits.
   */
  private double varianceOfBit() {
    double own = clear * (1 - clear);
    return blocked ? own + (BLOCK_BITS - 1) * (clear(2) - clear * clear) : own;
  }

  /**
   * Returns true if chance leaves fewer slots empty than this. Choices that fall into one slot or
   * block do not fall into another. So Chernoff's bound holds, since it also applies to negatively
   * associated variables (Dubhashi and Ranjan: Balls and Bins, 1998): P(N >= u) <= exp(u - e) (e /
   * u)^u. N is the number of empty slots, or of blocks with such a slot, and e < u is its mean.
   */
  boolean leavesFewerThan(long emptySlots) {
    double slot = blocked ? clear(Long.SIZE) : Math.pow(clear, Long.SIZE);
    double mean = parameters.slots() * slot;
    double units = blocked ? Math.ceil((double) emptySlots / BLOCK_SLOTS) : emptySlots;
    return units > mean && units - mean + units * Math.log(mean / units) < -LOG_IMPROBABLE;
  }
}
