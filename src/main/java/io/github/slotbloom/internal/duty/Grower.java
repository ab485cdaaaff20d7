package io.github.slotbloom.internal.duty;

import io.github.slotbloom.internal.store.filter.FilterRecord;

/**
 * Lets filters grow. It connects the engine, which knows when to grow, with the code that makes
 * tables. Thread-safe.
 */
public interface Grower {

  /**
   * Prepares everything, including the slot table, so that growing takes one short transaction.
   * Does nothing if the filter has another newest generation by now. Repeating it is safe.
   *
   * @param generationToken the token of the newest generation that was seen
   * @param mirrored true if this process must be able to hold the filter in memory afterwards
   * @throws io.github.slotbloom.error.SlotBloomException if it could not be done
   */
  void prepare(FilterRecord filter, long generationToken, boolean mirrored);

  /**
   * Doubles the capacity of the filter as often as needed to hold the new keys. Does nothing if the
   * filter has another newest generation by now, or room for them. If several processes ask at
   * once, one of them grows the filter.
   *
   * @param generationToken the token of the newest generation that was seen
   * @param newKeys how many keys are to be added
   * @param mirrored true if this process must be able to hold the filter in memory afterwards
   * @throws io.github.slotbloom.error.SlotBloomException if it could not be done
   */
  void grow(FilterRecord filter, long generationToken, long newKeys, boolean mirrored);
}
