package io.github.slotbloom.internal.add;

import io.github.slotbloom.internal.store.catalog.FilterRecord;

/** Lets filters grow: the engine knows when, and whoever makes tables knows how. Thread-safe. */
public interface Grower {

  /**
   * Gets everything ready, the slot table too, so that growing takes one short transaction. Does
   * nothing if the filter has another newest generation by now. Repeating it does no harm.
   *
   * @param generationToken of the newest generation that was seen
   * @param mirrored whether this process must be able to hold the filter in memory afterwards
   * @throws io.github.slotbloom.error.SlotBloomException if it could not be done
   */
  void prepare(FilterRecord filter, long generationToken, boolean mirrored);

  /**
   * Doubles the capacity of the filter, as often as it takes to hold so many more keys. Does
   * nothing if it has another newest generation by now, or room for them: of all who ask at once,
   * one grows it.
   *
   * @param generationToken of the newest generation that was seen
   * @param newKeys keys that shall be added
   * @param mirrored whether this process must be able to hold the filter in memory afterwards
   * @throws io.github.slotbloom.error.SlotBloomException if it could not be done
   */
  void grow(FilterRecord filter, long generationToken, long newKeys, boolean mirrored);
}
