package io.github.slotbloom.internal.bits;

import io.github.slotbloom.core.BloomParameters;

/** Reads the slots of one generation, no matter where they are held. */
@FunctionalInterface
public interface SlotReader {

  /**
   * Returns the bits of one slot; 0 for a slot that was never written.
   *
   * @param slot from 0 to {@link BloomParameters#slots()} - 1
   * @return bit i is position 64 * slot + i of the filter
   */
  long bits(long slot);
}
