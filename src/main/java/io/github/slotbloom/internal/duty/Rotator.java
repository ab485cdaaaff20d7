package io.github.slotbloom.internal.duty;

import io.github.slotbloom.internal.store.filter.FilterRecord;

/**
 * Begins buckets of windows. It connects the engine, which knows when, with the code that makes
 * tables. Thread-safe.
 */
public interface Rotator {

  /**
   * Begins the present bucket in a transaction of its own, unless it began already. Makes a table
   * for it if none was made before. If several processes ask at once, one of them does it.
   *
   * @throws io.github.slotbloom.error.SlotBloomException if it could not be done
   */
  void rotate(FilterRecord filter);

  /**
   * Makes the table for the bucket after the present one, so that beginning it takes one short
   * transaction, and drops those of buckets that expired. Repeating it is safe.
   *
   * @return the token of the generations that it was done for
   * @throws io.github.slotbloom.error.SlotBloomException if it could not be done
   */
  long prepare(FilterRecord filter);
}
