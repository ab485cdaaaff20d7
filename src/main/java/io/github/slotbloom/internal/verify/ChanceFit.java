package io.github.slotbloom.internal.verify;

import io.github.slotbloom.core.Fill;
import io.github.slotbloom.internal.bits.Probe;
import io.github.slotbloom.internal.bits.SlotReader;

/**
 * Measures how well the hashes that should be in a generation fit its slots. If some slots lost
 * bits, the other slots still hold the bits of those hashes. If the bits were set with another size
 * or layout, or the hashes were never in that generation, the hashes meet set bits by chance only.
 *
 * <p>Of a slot with b bits that are set, a bit chosen by chance is set with the probability b / 64.
 * A slot without bits tells nothing. Not thread-safe.
 */
final class ChanceFit {

  /** Standard deviations that chance alone reaches less than once in ten thousand times. */
  private static final double DEVIATIONS = 4;

  /**
   * The most hashes, as a share, that are taken for accidents. It errs on the side of repairing
   * nothing: a table that lost more than three quarters of its keys looks the same.
   */
  private static final double FITTING_BY_ACCIDENT = 0.25;

  private long required;
  private long lost;
  private long bitsFound;
  private double bitsByChance;
  private double variance;

  void looked(long hashes) {
    required += hashes;
  }

  void lost(Probe probe, long hash, SlotReader slots) {
    lost++;
    probe.forEachMask(
        hash,
        (slot, mask) -> {
          long bits = slots.bits(slot);
          double chance = (double) Long.bitCount(bits) / Long.SIZE;
          int wanted = Long.bitCount(mask);
          bitsFound += Long.bitCount(bits & mask);
          bitsByChance += wanted * chance;
          variance += wanted * chance * (1 - chance);
        });
  }

  /**
   * Returns true if the hashes are in slots of that fill hardly more often than random hashes would
   * be. Under the parameters of another size some hashes keep their places, so a few that fit prove
   * nothing.
   */
  boolean isNoBetterThanChance(Fill fill) {
    double rate = fill.falsePositiveRate();
    return 2 * lost > required
        && fill.bitsSet() > 0
        && required - lost < required * (rate + FITTING_BY_ACCIDENT * (1 - rate))
        && !isMoreThan(bitsFound, bitsByChance, variance);
  }

  private static boolean isMoreThan(long found, double byChance, double variance) {
    return found - byChance > DEVIATIONS * Math.sqrt(variance) + 1;
  }

  /** Describes the result, for the middle of a sentence. */
  String inWords() {
    return (required - lost) + " of " + required + " recorded hashes, no more than by chance";
  }
}
