package io.github.slotbloom.internal.mirror;

import io.github.slotbloom.internal.bits.Probe;
import io.github.slotbloom.internal.bits.SlotMaskConsumer;
import java.util.Arrays;

/**
 * The bits of one key in every generation of one shape. They are found once and looked for in many
 * arrays, so each array costs little more than its reads. Not thread-safe.
 */
final class KeyBits implements SlotMaskConsumer {

  /** So many are looked for without a decision in between: few arrays have them by chance. */
  private static final int AT_ONCE = 3;

  private final long[] slots;
  private final long[] masks;
  private int count;

  /**
   * Creates room for the bits of a key.
   *
   * @param most the most bits that a key has in a generation
   */
  KeyBits(int most) {
    slots = new long[Math.max(AT_ONCE, most)];
    masks = new long[slots.length];
  }

  /** Finds the bits of a key. Those of the key before are forgotten. */
  void find(long hash, Probe probe) {
    count = 0;
    probe.forEachMask(hash, this);
    // The unused ones of those that are always looked for ask for no bits.
    Arrays.fill(masks, count, Math.max(count, AT_ONCE), 0);
  }

  @Override
  public void accept(long slot, long mask) {
    slots[count] = slot;
    masks[count++] = mask;
  }

  /** Returns true if an array of that shape has all bits of the key. */
  boolean areIn(BitArray bits) {
    long missing = missing(0, bits) | missing(1, bits) | missing(2, bits);
    for (int i = AT_ONCE; i < count && missing == 0; i++) {
      missing = missing(i, bits);
    }
    return missing == 0;
  }

  private long missing(int i, BitArray bits) {
    return masks[i] & ~bits.bits(slots[i]);
  }
}
