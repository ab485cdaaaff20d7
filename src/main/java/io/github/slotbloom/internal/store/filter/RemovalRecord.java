package io.github.slotbloom.internal.store.filter;

import io.github.slotbloom.core.OnFull;

/**
 * How keys are removed from a filter.
 *
 * @param percent share of the capacity from which on a filter that retains hashes is rebuilt
 * @param table name of the table with the removed hashes
 */
public record RemovalRecord(int percent, String table) {

  /** However small a filter is, so many keys may be removed. */
  private static final long FEWEST = 1000;

  /**
   * Returns how many keys may be removed before the filter is rebuilt. One that grows does so
   * before that, though not while it is being rebuilt.
   */
  public long most(FilterHead head) {
    return head.onFull() == OnFull.GROW ? Long.MAX_VALUE : most(head.capacity());
  }

  /** Returns how many keys may be removed from a filter that does not grow. */
  public long most(long capacity) {
    return Math.max(FEWEST, capacity);
  }

  /**
   * Returns the most removed keys with which a filter that retains hashes is not rebuilt
   * automatically yet, unless it is nearly full. Small filters are not rebuilt all the time.
   */
  public long mostAtRest(long capacity) {
    long share = capacity / 100 * percent + capacity % 100 * percent / 100;
    return Math.max(Math.min(FEWEST, capacity / 2), share);
  }

  /** Returns true if a filter that retains hashes is to be rebuilt. */
  public boolean callsForRebuild(FilterHead head) {
    long capacity = head.capacity();
    // One that does not grow needs the room of what was removed.
    boolean scarce = head.onFull() != OnFull.GROW && head.keysSet() > capacity - capacity / 10;
    return head.keysRemoved() > (scarce ? capacity / 100 : mostAtRest(capacity));
  }
}
