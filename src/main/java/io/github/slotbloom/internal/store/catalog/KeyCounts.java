package io.github.slotbloom.internal.store.catalog;

/**
 * What a transaction adds to the counts of a filter.
 *
 * @param keys the change of {@link FilterHead#keysAdded}
 * @param removed the change of {@link FilterHead#keysRemoved}
 */
public record KeyCounts(long keys, long removed) {

  /** Returns the change that new keys make. */
  public static KeyCounts ofNew(long keys) {
    return new KeyCounts(keys, 0);
  }
}
