package io.github.slotbloom.internal.fold;

import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.journal.FoldRows;
import io.github.slotbloom.internal.store.session.Transactions;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.store.slots.RemovedRows;
import java.util.Optional;

/**
 * Deletes the rows of removed hashes that mean nothing since the filter was rebuilt or cleared. One
 * thread at a time uses it.
 */
public final class RemovedPurge {

  private static final int ROWS_PER_TRANSACTION = 1000;

  private final FollowedFilter followed;
  private final Transactions transactions;

  /** Up to this entry no rows are left. Before the filter is rebuilt or cleared there are none. */
  private long purgedUpTo;

  public RemovedPurge(FollowedFilter followed, Transactions transactions) {
    this.followed = followed;
    this.transactions = transactions;
  }

  /** Returns false while another process folds. */
  public boolean run() {
    if (!followed.now().removable()) {
      return true;
    }
    while (followed.now().manifest().removedAfter() > purgedUpTo) {
      Optional<Boolean> done = transactions.ask(this::purge);
      if (done.isEmpty()) {
        return false;
      }
    }
    return true;
  }

  private Optional<Boolean> purge(Tx tx) {
    return FoldRows.tryLock(tx, followed.id())
        .map(
            state -> {
              FilterRecord filter = followed.requireUnchanged(tx);
              long last = filter.manifest().removedAfter();
              RemovedRows rows = new RemovedRows(filter);
              boolean done = rows.deleteUpTo(tx, last, ROWS_PER_TRANSACTION) < ROWS_PER_TRANSACTION;
              if (done) {
                purgedUpTo = last;
              }
              return done;
            });
  }
}
