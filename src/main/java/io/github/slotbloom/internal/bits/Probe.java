package io.github.slotbloom.internal.bits;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Layout;
import java.util.Objects;

/**
 * Finds the bits of a key in one generation, from the key's 64-bit hash. Immutable and thread-safe.
 *
 * <p>The positions are part of the stored format and can never change. They are computed as
 * follows, with all arithmetic modulo 2^64 and all numbers unsigned:
 *
 * <ul>
 *   <li>word(i) = mix64(hash + i * 0x9E3779B97F4A7C15) for i = 1, 2, ..., where mix64 is the
 *       finalizer of SplitMix64, Stafford's variant 13 (Steele, Lea, Flood: Fast Splittable
 *       Pseudorandom Number Generators, 2014). So every word is mixed again. Double hashing
 *       differs: its step can be zero or share a factor with the number of bits.
 *   <li>reduce(word, range) = floor(word * range / 2^64), the high half of the 128-bit product. It
 *       needs no division, and over ranges up to 2^42 it has no measurable bias (Lemire: Fast
 *       Random Integer Generation in an Interval, 2019).
 *   <li>{@link Layout#STANDARD}: probe i = 0, 1, ... is position reduce(word(i + 1), bits).
 *   <li>{@link Layout#BLOCKED}: the block is reduce(word(1), bits / 512). The probes in it are
 *       fields of nine bits, seven from each of word(2), word(3), ..., from the top: bits 63 to 55,
 *       54 to 46, and so on to 9 to 1. Each probe thus reads nine fresh bits of a fully mixed word.
 *       The probes are as independent as separate hashes, without a multiplication for each.
 * </ul>
 *
 * <p>Position b is bit b mod 64 (0 is the least significant) of slot b / 64.
 */
public abstract sealed class Probe {

  /**
   * The number of keys that are decided together. It is small, so that their blocks stay in the
   * innermost cache until they are decided.
   */
  private static final int KEYS_AT_A_TIME = 128;

  public static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;
  public static final long FIRST_FACTOR = 0xBF58476D1CE4E5B9L;
  public static final long SECOND_FACTOR = 0x94D049BB133111EBL;

  /** The number of bits in a field, for probes that are fields of a word. */
  public static final int FIELD_BITS = 9;

  public static final int FIELDS_PER_WORD = Long.SIZE / FIELD_BITS;
  public static final int FIRST_SHIFT = Long.SIZE - FIELD_BITS;

  final int hashes;

  private Probe(int hashes) {
    this.hashes = hashes;
  }

  /**
   * Returns the probe for a generation.
   *
   * @return a probe that all threads may use
   */
  public static Probe of(BloomParameters parameters) {
    Objects.requireNonNull(parameters, "parameters");
    return switch (parameters.layout()) {
      case STANDARD -> new Standard(parameters);
      case BLOCKED -> new Blocked(parameters);
    };
  }

  /**
   * Returns true if every bit of the key is set. Allocates nothing. {@link Layout#STANDARD} stops
   * reading at the first bit that is not set. {@link Layout#BLOCKED} has the other bits in the same
   * cache line, where reading them costs less than a mispredicted branch.
   *
   * @return false if the key was never added to the generation
   */
  public abstract boolean isMember(long hash, SlotReader slots);

  /**
   * Finds the members among many keys. The reads of different keys do not wait for each other or
   * for a decision, so memory serves several reads at a time.
   *
   * @param from the index of the first key to look at
   * @param to the index after the last key to look at
   * @param members set to true at the index of each key for which {@link #isMember} is true; other
   *     elements are left as they are
   */
  public final void markMembers(
      long[] hashes, int from, int to, SlotReader slots, boolean[] members) {
    int[] candidates = new int[Math.min(KEYS_AT_A_TIME, to - from)];
    for (int first = from; first < to; first += KEYS_AT_A_TIME) {
      int n = Math.min(KEYS_AT_A_TIME, to - first);
      for (int i = 0; i < n; i++) {
        candidates[i] = first + i;
      }
      int left = keepMembers(hashes, candidates, n, slots);
      for (int i = 0; i < left; i++) {
        members[candidates[i]] = true;
      }
    }
  }

  /**
   * Moves the members among the first {@code n} candidates to the front, and returns their number.
   */
  abstract int keepMembers(long[] hashes, int[] candidates, int n, SlotReader slots);

  /**
   * Gives every bit of the key. With {@link Layout#BLOCKED} each slot comes once. With {@link
   * Layout#STANDARD} there is one call for each probe, so a slot may come more than once.
   *
   * @param sink called k times at most, before this returns
   */
  public abstract void forEachMask(long hash, SlotMaskConsumer sink);

  /**
   * Gives every bit of many keys.
   *
   * @param sink called k times at most for each, before this returns
   */
  public final void forEachMask(long[] hashes, SlotMaskConsumer sink) {
    for (long hash : hashes) {
      forEachMask(hash, sink);
    }
  }

  /**
   * Returns the positions of the key in the order of its probes. Meant for inspection, since the
   * other methods do not allocate an array.
   *
   * @return k positions, each from 0 to bits - 1; one may come more than once
   */
  public abstract long[] positions(long hash);

  static long mix64(long z) {
    z = (z ^ (z >>> 30)) * FIRST_FACTOR;
    z = (z ^ (z >>> 27)) * SECOND_FACTOR;
    return z ^ (z >>> 31);
  }

  /**
   * Returns the high half of the unsigned product. The range is positive, so only the word's sign
   * matters.
   */
  static long reduce(long word, long range) {
    return Math.multiplyHigh(word, range) + ((word >> 63) & range);
  }

  private static final class Standard extends Probe {
    private final long bits;

    Standard(BloomParameters parameters) {
      super(parameters.hashes());
      this.bits = parameters.bits();
    }

    @Override
    public boolean isMember(long hash, SlotReader slots) {
      long state = hash;
      for (int i = 0; i < hashes; i++) {
        state += GOLDEN_GAMMA;
        long position = reduce(mix64(state), bits);
        if ((slots.bits(position >>> 6) & (1L << position)) == 0) {
          return false;
        }
      }
      return true;
    }

    @Override
    int keepMembers(long[] hashes, int[] candidates, int n, SlotReader slots) {
      int left = n;
      for (int probe = 1; probe <= this.hashes; probe++) {
        int kept = 0;
        for (int i = 0; i < left; i++) {
          int candidate = candidates[i];
          long position = reduce(mix64(hashes[candidate] + probe * GOLDEN_GAMMA), bits);
          candidates[kept] = candidate;
          kept += (int) (slots.bits(position >>> 6) >>> position) & 1;
        }
        left = kept;
      }
      return left;
    }

    @Override
    public void forEachMask(long hash, SlotMaskConsumer sink) {
      long state = hash;
      for (int i = 0; i < hashes; i++) {
        state += GOLDEN_GAMMA;
        long position = reduce(mix64(state), bits);
        sink.accept(position >>> 6, 1L << position);
      }
    }

    @Override
    public long[] positions(long hash) {
      long[] positions = new long[hashes];
      for (int i = 0; i < hashes; i++) {
        positions[i] = reduce(mix64(hash + (i + 1) * GOLDEN_GAMMA), bits);
      }
      return positions;
    }
  }

  private static final class Blocked extends Probe {
    private static final int FIELD_MASK = BloomParameters.BLOCK_BITS - 1;
    private static final int BLOCK_SLOTS = BloomParameters.BLOCK_BITS / Long.SIZE;

    private final long blocks;

    Blocked(BloomParameters parameters) {
      super(parameters.hashes());
      this.blocks = parameters.bits() / BloomParameters.BLOCK_BITS;
    }

    @Override
    public boolean isMember(long hash, SlotReader slots) {
      long state = hash + GOLDEN_GAMMA;
      long firstSlot = reduce(mix64(state), blocks) * BLOCK_SLOTS;
      // Bit 0 is 1 as long as all bits so far are set.
      long allSet = 1;
      for (int remaining = hashes; remaining > 0 && allSet != 0; remaining -= FIELDS_PER_WORD) {
        state += GOLDEN_GAMMA;
        long word = mix64(state);
        for (int i = Math.min(remaining, FIELDS_PER_WORD); i > 0; i--) {
          word = Long.rotateLeft(word, FIELD_BITS);
          int offset = (int) word & FIELD_MASK;
          allSet &= slots.bits(firstSlot + (offset >>> 6)) >>> offset;
        }
      }
      return allSet != 0;
    }

    @Override
    int keepMembers(long[] hashes, int[] candidates, int n, SlotReader slots) {
      int left = 0;
      for (int i = 0; i < n; i++) {
        int candidate = candidates[i];
        long hash = hashes[candidate];
        int offset = offset(hash, 0);
        candidates[left] = candidate;
        left += (int) (slots.bits(block(hash) * BLOCK_SLOTS + (offset >>> 6)) >>> offset) & 1;
      }
      int kept = 0;
      for (int i = 0; i < left; i++) {
        int candidate = candidates[i];
        candidates[kept] = candidate;
        kept += isMember(hashes[candidate], slots) ? 1 : 0;
      }
      return kept;
    }

    @Override
    public void forEachMask(long hash, SlotMaskConsumer sink) {
      long[] masks = new long[BLOCK_SLOTS];
      long state = hash + GOLDEN_GAMMA;
      long firstSlot = reduce(mix64(state), blocks) * BLOCK_SLOTS;
      for (int remaining = hashes; remaining > 0; remaining -= FIELDS_PER_WORD) {
        state += GOLDEN_GAMMA;
        long word = mix64(state);
        for (int i = Math.min(remaining, FIELDS_PER_WORD); i > 0; i--) {
          word = Long.rotateLeft(word, FIELD_BITS);
          int offset = (int) word & FIELD_MASK;
          masks[offset >>> 6] |= 1L << offset;
        }
      }
      for (int i = 0; i < BLOCK_SLOTS; i++) {
        if (masks[i] != 0) {
          sink.accept(firstSlot + i, masks[i]);
        }
      }
    }

    @Override
    public long[] positions(long hash) {
      long first = block(hash) * BloomParameters.BLOCK_BITS;
      long[] positions = new long[hashes];
      for (int i = 0; i < hashes; i++) {
        positions[i] = first + offset(hash, i);
      }
      return positions;
    }

    private long block(long hash) {
      return reduce(mix64(hash + GOLDEN_GAMMA), blocks);
    }

    private static int offset(long hash, int probe) {
      long word = mix64(hash + (probe / FIELDS_PER_WORD + 2) * GOLDEN_GAMMA);
      return (int) (word >>> (FIRST_SHIFT - probe % FIELDS_PER_WORD * FIELD_BITS)) & FIELD_MASK;
    }
  }
}
