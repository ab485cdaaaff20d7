package io.github.slotbloom.internal.store.catalog;

/**
 * How keys are removed from a filter.
 *
 * @param percent share of the capacity that may be removed before the filter is built anew
 * @param table name of the table with the removed hashes
 */
public record RemovalRecord(int percent, String table) {

  /** However small a filter is, so many keys may be removed. */
  private static final long FEWEST = 1000;

  /** From this share of {@link #most} on, so that callers who remove go on meanwhile. */
  private static final int SHARE_BUILT_ANEW = 2;

  /** Returns how many keys may be removed before the filter is built anew. */
  public long most(long capacity) {
    return Math.max(FEWEST, capacity / 100 * percent + capacity % 100 * percent / 100);
  }

  /**
   * Returns the most removed keys with which a filter that retains hashes is not built anew by
   * itself yet.
   */
  public long mostAtRest(long capacity) {
    return most(capacity) / SHARE_BUILT_ANEW;
  }
}
