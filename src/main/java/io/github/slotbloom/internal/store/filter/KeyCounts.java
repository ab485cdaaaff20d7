package io.github.slotbloom.internal.store.filter;

/**
 * What a transaction adds to the counts of a filter.
 *
 * @param keys the change of {@link FilterHead#keysAdded}
 * @param removed the change of {@link FilterHead#keysRemoved}
 * @param renewed the change of {@link FilterHead#keysRenewed}
 */
public record KeyCounts(long keys, long removed, long renewed) {

  public static final KeyCounts NONE = new KeyCounts(0, 0);

  /** Creates the change of a filter whose keys are not renewed. */
  public KeyCounts(long keys, long removed) {
    this(keys, removed, 0);
  }

  /** Returns how many keys have their bits set again. */
  public long keysSet() {
    return keys + renewed;
  }

  public KeyCounts plus(KeyCounts more) {
    return new KeyCounts(keys + more.keys, removed + more.removed, renewed + more.renewed);
  }
}
