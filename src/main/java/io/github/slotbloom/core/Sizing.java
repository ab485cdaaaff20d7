package io.github.slotbloom.core;

import static io.github.slotbloom.core.BloomParameters.BLOCK_BITS;
import static io.github.slotbloom.core.BloomParameters.MAX_BITS;
import static io.github.slotbloom.core.BloomParameters.MAX_HASHES;
import static io.github.slotbloom.core.BloomParameters.MIN_BITS;

import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.internal.bits.BlockOccupancy;
import io.github.slotbloom.internal.bits.PossibleSizes;
import java.util.Locale;
import java.util.Objects;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds the parameters of a filter for a capacity and a false positive rate, and the false positive
 * rate for given parameters. Thread-safe.
 *
 * <p>The false positive rate is the probability that a key that was never added is answered as a
 * member. It is a fraction: 0.01 is one percent.
 */
public final class Sizing {

  /** The largest number of keys that one generation can be sized for: 2^40. */
  public static final long MAX_CAPACITY = 1L << 40;

  /** The largest relative error of a rate by rounding. */
  private static final double ROUNDING = 1e-6;

  /** Above any factor that a version of this arithmetic could ask for, apart from a few blocks. */
  private static final int MOST_TIMES_TOO_LARGE = 2;

  private static final long FEW_BITS = 4096;

  private static final double LN_2 = Math.log(2);

  /** The probability that two given keys have the same 64-bit hash: 2^-64. */
  private static final double HASH_COLLISION = 0x1p-64;

  /**
   * The smallest false positive rate that is allowed with a 64-bit hash, as a multiple of n *
   * 2^-64.
   */
  private static final double MIN_RATE_TO_COLLISIONS = 4;

  /**
   * The largest factor by which BLOCKED may need more bits than STANDARD. Beyond it, blocks are no
   * longer worth the space.
   */
  private static final long MAX_BLOCKED_TO_STANDARD = 4;

  /**
   * The number of blocks that is always allowed. For few keys whole blocks are coarse, and a few of
   * them are cheap, whatever STANDARD needs.
   */
  private static final long ALWAYS_ALLOWED_BLOCKS = 8;

  /**
   * The weight below which a term is left out, relative to the most likely term. It is below the
   * contribution of any block to any possible rate.
   */
  private static final double NEGLIGIBLE_WEIGHT = 1e-30;

  private Sizing() {}

  /**
   * Computes the smallest shape that keeps the false positive rate at or below the target for up to
   * {@code capacity} keys.
   *
   * <p>{@link Layout#STANDARD}: k is the textbook's m/n ln 2 = -log2 p, rounded; m is the
   * textbook's -n ln p / (ln 2)^2 (Bloom, 1970), raised until the expected rate with a whole k
   * meets p: 0.1 % at p = 0.01, at most 6 % up to p = 0.5; with few keys some more, and never less
   * than {@value BloomParameters#MIN_BITS} bits. {@link Layout#BLOCKED}: k and the number of blocks
   * that together take the fewest bits; of two such k the smaller. It has 3 % more bits than
   * STANDARD at p = 0.01, 8 % at 0.001, 35 % at 10^-6 and 86 % at 10^-9.
   *
   * @param layout where the bits of a key lie
   * @param capacity the number of different keys n, from 1 to 2^40
   * @param falsePositiveRate the target p: more than 0, less than 1, and at least 4 n / 2^64,
   *     because collisions of the 64-bit hash alone cause a rate of n / 2^64
   * @return the shape; the same numbers always give the same shape
   * @throws InvalidParameterException if a number is outside its range, the filter would have more
   *     than 2^42 bits, or BLOCKED would need more than eight blocks and more than four times the
   *     bits of STANDARD
   */
  public static BloomParameters forCapacity(
      Layout layout, long capacity, double falsePositiveRate) {
    Objects.requireNonNull(layout, "layout");
    checkCapacity(capacity);
    requireRate(falsePositiveRate);
    BloomParameters shape = shape(layout, capacity, falsePositiveRate);
    if (shape == null) {
      throw new InvalidParameterException(
          String.format(
              Locale.ROOT,
              "The layout %s cannot have a false positive rate of %s with %,d keys; %s",
              layout,
              falsePositiveRate,
              capacity,
              PossibleSizes.remedy(
                  capacity,
                  falsePositiveRate,
                  MAX_CAPACITY,
                  (keys, rate) -> isPossible(layout, keys, rate))));
    }
    return shape;
  }

  /**
   * Returns true if a filter can have these numbers: if {@link #forCapacity} has a result for them.
   *
   * @param layout where the bits of a key lie
   * @param capacity the number of different keys
   * @param falsePositiveRate the false positive rate
   * @return false if a number is outside its range, or the two are not possible together
   */
  public static boolean isPossible(Layout layout, long capacity, double falsePositiveRate) {
    return capacity >= 1
        && falsePositiveRate > 0
        && falsePositiveRate < 1
        && shape(layout, capacity, falsePositiveRate) != null;
  }

  /** Returns the smallest shape for these numbers; null if no filter can have them. */
  private static @Nullable BloomParameters shape(Layout layout, long capacity, double target) {
    if (capacity > MAX_CAPACITY || target < MIN_RATE_TO_COLLISIONS * capacity * HASH_COLLISION) {
      return null;
    }
    return switch (layout) {
      case STANDARD -> standard(capacity, target);
      case BLOCKED -> blocked(capacity, target);
    };
  }

  /**
   * Checks the number of keys that a filter is sized for.
   *
   * @param capacity the number of different keys
   * @throws InvalidParameterException if it is less than 1 or more than 2^40
   */
  public static void requireCapacity(long capacity) {
    checkCapacity(capacity);
    if (capacity > MAX_CAPACITY) {
      throw new InvalidParameterException(
          String.format(
              Locale.ROOT, "capacity is %,d; use %,d keys or fewer", capacity, MAX_CAPACITY));
    }
  }

  private static void checkCapacity(long capacity) {
    if (capacity < 1) {
      throw new InvalidParameterException(
          String.format(Locale.ROOT, "capacity is %,d; use 1 key or more", capacity));
    }
  }

  /**
   * Computes the expected false positive rate of a filter with the given shape and number of keys,
   * whatever it was sized for. The result is the mean over all such filters; a filter of few bits
   * can differ from it noticeably.
   *
   * <p>{@link Layout#STANDARD}: E[(X/m)^k] for the number X of bits set. From Bloom's (1 -
   * e^(-kn/m))^k it differs by the spread of X, which matters below some thousand bits (Bose and
   * others: On the False-Positive Rate of Bloom Filters, 2008). {@link Layout#BLOCKED}: the mean of
   * the exact rates of a block with j keys, where j is binomial, as blocks are chosen at random;
   * for many blocks that is the Poisson sum of Putze, Sanders, Singler: Cache-, Hash- and
   * Space-Efficient Bloom Filters, 2007. Both include the collisions of the 64-bit key hash.
   *
   * @param parameters the shape
   * @param keys the number of different keys added, 0 or more
   * @return the rate, from 0 to 1
   * @throws InvalidParameterException if the number of keys is negative
   */
  public static double expectedFalsePositiveRate(BloomParameters parameters, long keys) {
    Objects.requireNonNull(parameters, "parameters");
    if (keys < 0) {
      throw new InvalidParameterException("keys is " + keys + "; use 0 or more");
    }
    double rate =
        switch (parameters.layout()) {
          case STANDARD -> standardRate(parameters.bits(), parameters.hashes(), keys);
          case BLOCKED -> blockedRate(parameters.bits() / BLOCK_BITS, parameters.hashes(), keys);
        };
    return rate + (1 - rate) * hashCollisionRate(parameters.layout(), keys);
  }

  /**
   * Returns half the target, the {@link #generationRate} of the first generation.
   *
   * @param target the false positive rate of the filter as a whole, more than 0 and less than 1
   * @return {@code target / 2}
   */
  public static double firstGenerationRate(double target) {
    return generationRate(target, 1);
  }

  /**
   * Computes the target for one bucket of a window: target / (buckets + 1). A key is a member of
   * the window if any bucket that counts has it, and one more than the window is long do, so the
   * false positive rates add up.
   *
   * @param target the false positive rate of the filter as a whole, more than 0 and less than 1
   * @param buckets the number of buckets of the window, at least 1
   * @return {@code target / (buckets + 1)}
   * @throws InvalidParameterException if a number is outside its range
   */
  public static double bucketRate(double target, int buckets) {
    requireRate(target);
    if (buckets < 1) {
      throw new InvalidParameterException("buckets is " + buckets + "; use at least 1");
    }
    return target / (buckets + 1);
  }

  /**
   * Computes the target for one generation of a filter that grows in layers: target / 2^generation.
   * A key is a member of the filter if any generation has it, so the false positive rates add up;
   * 1/2 + 1/4 + 1/8 + ... stays below 1 however often the filter grows (Almeida, Baquero, Preguiça,
   * Hutchison: Scalable Bloom Filters, 2007, with a tightening ratio of one half).
   *
   * @param target the false positive rate of the filter as a whole, more than 0 and less than 1
   * @param generation counted from 1
   * @return {@code target / 2^generation}
   * @throws InvalidParameterException if a number is outside its range
   */
  public static double generationRate(double target, int generation) {
    requireRate(target);
    if (generation < 1) {
      throw new InvalidParameterException(
          "generation is " + generation + "; generations are counted from 1");
    }
    return Math.scalb(target, -generation);
  }

  /**
   * Returns true if a shape fits its capacity and false positive rate: with that many keys its
   * false positive rate is not above the given one, and the shape is not many times larger than
   * needed. A shape whose expected rate equals the given rate fits at any size.
   *
   * @param parameters the shape
   * @param capacity the number of different keys, from 1 to 2^40
   * @param falsePositiveRate the false positive rate, more than 0 and at most 1
   * @return true if a filter can have been made with these numbers
   */
  public static boolean fits(BloomParameters parameters, long capacity, double falsePositiveRate) {
    double rate = expectedFalsePositiveRate(parameters, capacity);
    if (Math.abs(rate - falsePositiveRate) <= ROUNDING * falsePositiveRate) {
      return true;
    }
    if (capacity < 1 || !(falsePositiveRate > 0 && falsePositiveRate < 1)) {
      return false;
    }
    BloomParameters asSized = shape(parameters.layout(), capacity, falsePositiveRate);
    return asSized != null
        && isWithin(rate, falsePositiveRate)
        && parameters.bits() <= MOST_TIMES_TOO_LARGE * asSized.bits() + FEW_BITS;
  }

  /**
   * Returns true if a false positive rate is at most a target, apart from rounding.
   *
   * @param rate the false positive rate
   * @param target the highest rate
   * @return true if the rate does not exceed the target
   */
  public static boolean isWithin(double rate, double target) {
    return rate <= target * (1 + ROUNDING);
  }

  /**
   * Checks a false positive rate.
   *
   * @param rate the probability that a key that was never added is answered as a member
   * @throws InvalidParameterException if it is not more than 0 and less than 1
   */
  public static void requireRate(double rate) {
    // This form also refuses NaN, which compares as false with everything.
    if (!(rate > 0 && rate < 1)) {
      throw new InvalidParameterException(
          "The false positive rate is " + rate + "; use a number between 0 and 1, such as 0.01");
    }
  }

  private static @Nullable BloomParameters standard(long capacity, double target) {
    double budget = target - hashCollisionRate(Layout.STANDARD, capacity);
    int hashes = (int) Math.max(1, Math.min(MAX_HASHES, Math.round(-Math.log(budget) / LN_2)));
    LongPredicate meetsTarget =
        bits -> meetsTarget(new BloomParameters(Layout.STANDARD, bits, hashes), capacity, target);
    if (!meetsTarget.test(MAX_BITS)) {
      return null;
    }
    return new BloomParameters(
        Layout.STANDARD, PossibleSizes.smallest(MIN_BITS, MAX_BITS, meetsTarget), hashes);
  }

  private static @Nullable BloomParameters blocked(long capacity, double target) {
    BloomParameters standard = standard(capacity, target);
    if (standard == null) {
      return null;
    }
    long worthwhile =
        Math.max(ALWAYS_ALLOWED_BLOCKS, MAX_BLOCKED_TO_STANDARD * standard.bits() / BLOCK_BITS);
    long limit = Math.min(MAX_BITS / BLOCK_BITS, worthwhile);
    BloomParameters best = null;
    long fewestBlocks = limit + 1;
    for (int k = 1; k <= MAX_HASHES && fewestBlocks > 1; k++) {
      int hashes = k;
      LongPredicate meetsTarget =
          blocks ->
              meetsTarget(
                  new BloomParameters(Layout.BLOCKED, blocks * BLOCK_BITS, hashes),
                  capacity,
                  target);
      if (meetsTarget.test(fewestBlocks - 1)) {
        fewestBlocks = PossibleSizes.smallest(1, fewestBlocks - 1, meetsTarget);
        best = new BloomParameters(Layout.BLOCKED, fewestBlocks * BLOCK_BITS, hashes);
      }
    }
    return best;
  }

  private static boolean meetsTarget(BloomParameters parameters, long capacity, double target) {
    return expectedFalsePositiveRate(parameters, capacity) <= target;
  }

  /**
   * Computes the false positive rate that comes from equal or similar hashes. An absent key has the
   * same hash as a given key of the filter with probability 2^-64. With STANDARD, hashes that
   * differ by d steps of the probe sequence also share all but d of their probes. Each of the other
   * probes finds its bit set with probability 1/2 in a full filter. In both directions that adds as
   * much as 2 (1/2 + 1/4 + ...) = 2 collisions. With BLOCKED such hashes still fall into unrelated
   * blocks.
   */
  private static double hashCollisionRate(Layout layout, long keys) {
    return switch (layout) {
      case STANDARD -> 3.0 * keys * HASH_COLLISION;
      case BLOCKED -> keys * HASH_COLLISION;
    };
  }

  /**
   * Computes the k-th moment of X/m, as if X were log-normal with its true mean and variance: exact
   * where the spread is small, and above the exact value, not below, where m is tiny.
   */
  private static double standardRate(long bits, int hashes, long keys) {
    if (keys == 0) {
      return 0;
    }
    double probes = (double) hashes * keys;
    double load = probes / bits;
    double clear = Math.exp(probes * Math.log1p(-1.0 / bits));
    double set = -Math.expm1(probes * Math.log1p(-1.0 / bits));
    double relativeVariance = clear * (1 - (1 + load) * clear) / (bits * set * set);
    double spread = hashes * (hashes - 1) / 2.0 * relativeVariance;
    return Math.min(1, Math.exp(hashes * Math.log(set) + spread));
  }

  /**
   * Computes the sum over j of P(j keys in a block) * rate of a block with j keys. The binomial
   * weights are computed from the most likely j outward and divided by their sum, so no factorials
   * are needed.
   */
  private static double blockedRate(long blocks, int hashes, long keys) {
    if (blocks == 1) {
      return BlockOccupancy.falsePositiveRate(hashes, keys);
    }
    double odds = 1.0 / (blocks - 1);
    long mode = (long) ((keys + 1.0) / blocks);
    if (mode > 2 * BlockOccupancy.maxKeys(hashes)) {
      return 1;
    }
    double weights = 1;
    double rate = BlockOccupancy.falsePositiveRate(hashes, mode);
    double weight = 1;
    for (long j = mode; j < keys && weight > NEGLIGIBLE_WEIGHT; j++) {
      weight *= (double) (keys - j) / (j + 1) * odds;
      weights += weight;
      rate += weight * BlockOccupancy.falsePositiveRate(hashes, j + 1);
    }
    weight = 1;
    for (long j = mode; j > 0 && weight > NEGLIGIBLE_WEIGHT; j--) {
      weight *= j / ((keys - j + 1) * odds);
      weights += weight;
      rate += weight * BlockOccupancy.falsePositiveRate(hashes, j - 1);
    }
    return rate / weights;
  }
}
