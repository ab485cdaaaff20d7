package io.github.slotbloom.internal.duty;

import io.github.slotbloom.internal.store.filter.FilterRecord;

/**
 * Lets filters grow, and begins the buckets of windows. It connects the engine, which knows when,
 * with the code that makes tables. Thread-safe.
 */
public interface GenerationMaker {

  /**
   * Prepares everything, including the slot table, so that growing takes one short transaction.
   * Does nothing if the filter has another manifest by now. Repeating it is safe.
   *
   * @param manifestToken the token of the manifest that was seen
   * @param mirrored true if this process must be able to hold the filter in memory afterwards
   * @throws io.github.slotbloom.error.SlotBloomException if it could not be done
   */
  void prepare(FilterRecord filter, long manifestToken, boolean mirrored);

  /**
   * Doubles the capacity of the filter as often as needed to hold the new keys. Does nothing if the
   * filter has another manifest by now, or room for them. If several processes ask at once, one of
   * them grows the filter.
   *
   * @param manifestToken the token of the manifest that was seen
   * @param newKeys how many keys are to be added
   * @param mirrored true if this process must be able to hold the filter in memory afterwards
   * @throws io.github.slotbloom.error.SlotBloomException if it could not be done
   */
  void grow(FilterRecord filter, long manifestToken, long newKeys, boolean mirrored);

  /**
   * Begins the current bucket in a transaction of its own, unless it began already. Makes a table
   * for it if none was made before. If several processes ask at once, one of them does it.
   *
   * @throws io.github.slotbloom.error.SlotBloomException if it could not be done
   */
  void rotate(FilterRecord filter);

  /**
   * Makes the table for the bucket after the present one, so that beginning it takes one short
   * transaction. Repeating it is safe.
   *
   * @return the token of the generations that it was done for
   * @throws io.github.slotbloom.error.SlotBloomException if it could not be done
   */
  long prepareBucket(FilterRecord filter);
}
