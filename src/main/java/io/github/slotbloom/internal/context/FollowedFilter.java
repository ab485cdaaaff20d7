package io.github.slotbloom.internal.context;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.internal.mirror.FilterNotReady;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.journal.UnfoldedFilter;
import io.github.slotbloom.internal.store.session.Tx;

/** One filter as it was last read, for those who follow it as it changes. Thread-safe. */
public final class FollowedFilter {

  private volatile FilterRecord now;

  public FollowedFilter(FilterRecord filter) {
    this.now = filter;
  }

  /** Returns the catalog row of the filter as last read. Only its generations may change. */
  public FilterRecord now() {
    return now;
  }

  public long id() {
    return now.id();
  }

  public FilterName name() {
    return now.name();
  }

  /** Returns true if work failed since the filter is gone, and it was to expire some time. */
  public boolean isGoneAsExpected(Throwable failure) {
    Throwable reason = failure instanceof FilterNotFoundException e ? e.getCause() : failure;
    if (reason instanceof FilterNotReady notReady && notReady.isExpired()) {
      return true;
    }
    boolean gone = failure instanceof FilterNotFoundException || failure instanceof FilterNotReady;
    return gone && now.head().expiresAt() != null;
  }

  /**
   * Reads the catalog again, and throws if the filter is no longer the one that was opened.
   *
   * @throws io.github.slotbloom.error.CorruptFilterException if its rows were changed
   * @throws FilterNotReady if the filter is gone, even if another one has its number since
   * @throws FilterNotFoundException if the filter was renamed
   */
  public FilterRecord requireUnchanged(Tx tx) {
    FilterRecord before = now;
    return follow(before, Catalog.find(tx, before).orElseThrow(() -> FilterNotReady.gone(before)));
  }

  /**
   * Does the same as {@link #requireUnchanged}, and reads what is not folded in the same statement.
   */
  public UnfoldedFilter unfolded(Tx tx) {
    FilterRecord before = now;
    UnfoldedFilter read =
        UnfoldedFilter.read(tx, before).orElseThrow(() -> FilterNotReady.gone(before));
    return new UnfoldedFilter(follow(before, read.filter()), read.tail());
  }

  private FilterRecord follow(FilterRecord before, FilterRecord read) {
    before.requireUnchanged(read);
    FilterRecord followed = before.with(read.head(), read.manifest());
    now = followed;
    return followed;
  }
}
