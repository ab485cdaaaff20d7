package io.github.slotbloom.internal.bits;

import static io.github.slotbloom.core.BloomParameters.BLOCK_BITS;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Fill;
import io.github.slotbloom.core.Layout;

/**
 * Counts the bits of a generation part by part, for generations that are larger than memory. Not
 * thread-safe.
 */
public final class FillCount {

  private static final int BLOCK_SLOTS = BLOCK_BITS / Long.SIZE;

  private final BloomParameters parameters;
  private final long[] histogram = new long[BLOCK_BITS + 1];
  private long bitsSet;

  public FillCount(BloomParameters parameters) {
    this.parameters = parameters;
  }

  /**
   * Counts the bits of a whole generation.
   *
   * @param slots read once each, in order
   * @return the fill that follows from the bits
   */
  public static Fill of(BloomParameters parameters, SlotReader slots) {
    FillCount count = new FillCount(parameters);
    long[] block = new long[BLOCK_SLOTS];
    for (long first = 0; first < parameters.slots(); first += block.length) {
      int length = (int) Math.min(block.length, parameters.slots() - first);
      for (int i = 0; i < length; i++) {
        block[i] = slots.bits(first + i);
      }
      count.add(block, length);
    }
    return count.fill();
  }

  /**
   * Counts some more slots. Slots that are never counted are taken as slots without a bit.
   *
   * @param slots neighbors, each counted once; with {@link Layout#BLOCKED} whole blocks of eight
   * @param length how many slots of the array to count
   */
  public void add(long[] slots, int length) {
    for (int first = 0; first < length; first += BLOCK_SLOTS) {
      int ones = 0;
      for (int i = first; i < Math.min(length, first + BLOCK_SLOTS); i++) {
        ones += Long.bitCount(slots[i]);
      }
      bitsSet += ones;
      histogram[ones] += ones > 0 ? 1 : 0;
    }
  }

  /** {@return the fill that follows from the counted bits} */
  public Fill fill() {
    return parameters.layout() == Layout.STANDARD
        ? Fill.standard(parameters, bitsSet)
        : Fill.blocked(parameters, histogram);
  }
}
