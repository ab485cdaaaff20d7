package io.github.slotbloom.internal.bits;

import io.github.slotbloom.core.BloomParameters;

/** Takes the bits that a key sets, slot by slot. */
@FunctionalInterface
public interface SlotMaskConsumer {

  /**
   * Takes the bits of one slot.
   *
   * @param slot from 0 to {@link BloomParameters#slots()} - 1
   * @param mask the bits to set in that slot, at least one; bit i is position 64 * slot + i
   */
  void accept(long slot, long mask);
}
