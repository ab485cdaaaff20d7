package io.github.slotbloom.internal.fold;

import io.github.slotbloom.internal.context.FilterContext;
import io.github.slotbloom.internal.store.RemovedRows;
import io.github.slotbloom.internal.store.filter.RemovalRecord;
import io.github.slotbloom.internal.store.journal.FoldRows;
import io.github.slotbloom.internal.store.session.Tx;
import java.util.Optional;

/**
 * Deletes the rows of removed hashes that mean nothing since the filter was built anew. One thread
 * at a time uses it.
 */
final class RemovedPurge {

  private static final int ROWS_PER_TRANSACTION = 1000;

  private final FilterContext context;

  /** Up to this entry no rows are left. Before the filter is built anew there are none. */
  private long purgedUpTo;

  RemovedPurge(FilterContext context) {
    this.context = context;
  }

  /** Returns false while another process folds. */
  boolean run() {
    RemovalRecord removal = context.filter().removal();
    if (removal == null) {
      return true;
    }
    RemovedRows rows = new RemovedRows(removal);
    while (context.filter().set().removedAfter() > purgedUpTo) {
      Optional<Boolean> done = context.database().transact(tx -> purge(tx, rows));
      if (done.isEmpty()) {
        return false;
      }
    }
    return true;
  }

  private Optional<Boolean> purge(Tx tx, RemovedRows rows) {
    return FoldRows.tryLock(tx, context.id())
        .map(
            state -> {
              long last = context.requireUnchanged(tx).set().removedAfter();
              boolean done = rows.deleteUpTo(tx, last, ROWS_PER_TRANSACTION) < ROWS_PER_TRANSACTION;
              if (done) {
                purgedUpTo = last;
              }
              return done;
            });
  }
}
