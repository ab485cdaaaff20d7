package io.github.slotbloom.internal.admin;

import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.internal.context.RetriedTransactions;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.ExpiryRows;
import io.github.slotbloom.internal.store.catalog.HeadLock;
import io.github.slotbloom.internal.store.catalog.SchemaTables;
import io.github.slotbloom.internal.store.catalog.TableRows;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.FilterState;
import io.github.slotbloom.internal.store.journal.FoldRows;
import io.github.slotbloom.internal.store.journal.HashBlocks;
import io.github.slotbloom.internal.store.journal.ImportRows;
import io.github.slotbloom.internal.store.journal.JournalTrimming;
import io.github.slotbloom.internal.store.session.Transactions;
import io.github.slotbloom.internal.store.session.Tx;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Function;

/**
 * Removes a filter: one commit says so, and from it on no process adds or answers from the
 * database. A lease later its tables go, then its rows. Anyone may finish what broke off.
 */
public final class Dropping {

  private static final int ROWS_PER_TRANSACTION = 10_000;

  private final FilterEngines engines;
  private final FilterRecord filter;
  private final RetriedTransactions transactions;

  public Dropping(FilterEngines engines, FilterRecord filter) {
    this.engines = engines;
    this.filter = filter;
    this.transactions = engines.transactions(filter);
  }

  public void drop() {
    requireRightToDrop();
    FilterState before =
        begin((tx, head) -> true)
            .orElseThrow(
                () ->
                    new FilterNotFoundException(
                        "Filter " + filter.name() + " is no longer in the database."));
    finish(before);
  }

  /**
   * Removes what an import left, unless somebody has gone on with it or removed it.
   *
   * @param idle how long nobody must have worked on it
   */
  public void dropAbandonedImport(Duration idle) {
    requireRightToDrop();
    begin(
            (tx, head) ->
                head.state() == FilterState.DROPPING
                    || ImportRows.isAbandoned(tx, filter.id(), head, idle))
        .ifPresent(this::finish);
  }

  /**
   * Removes the filter as {@link #drop} does, if it expired and that was noticed for some time.
   * Also continues a removal that another process began.
   *
   * @return false if the filter is to stay, or if others removed it
   */
  public boolean dropExpired(Duration noticedFor) {
    requireRightToDrop();
    Optional<FilterState> before =
        begin(
            (tx, head) ->
                head.isOver()
                    && (head.state() == FilterState.DROPPING
                        || noticedFor.isZero()
                        || ExpiryRows.noticedFor(tx, filter.id())
                            .filter(noticed -> noticed.compareTo(noticedFor) >= 0)
                            .isPresent()));
    before.ifPresent(this::finish);
    return before.isPresent();
  }

  /**
   * Marks the filter as one that is being removed.
   *
   * @param due tells under the lock if that is to be done
   * @return its state until then; empty if it is not to be done, or the filter is gone
   */
  private Optional<FilterState> begin(BiPredicate<Tx, FilterHead> due) {
    return transactions.ask(
        tx -> {
          Optional<FilterHead> head =
              HeadLock.takeOnAllServers(tx, filter).filter(found -> due.test(tx, found));
          head.ifPresent(found -> mark(tx, found));
          return head.map(FilterHead::state);
        });
  }

  private void mark(Tx tx, FilterHead head) {
    if (head.state() != FilterState.DROPPING) {
      // Nobody folds into tables that are about to be dropped.
      FoldRows.lock(tx, filter.id());
      Catalog.setState(tx, filter.id(), FilterState.DROPPING);
      FoldRows.skip(tx, filter.id(), head.lastSeq());
    }
  }

  private void finish(FilterState before) {
    // Nobody answers from a filter that could not be opened yet.
    if (before != FilterState.IMPORTING && before != FilterState.RESERVING) {
      engines.awaitLease(filter);
    }
    removeAll();
  }

  private void removeAll() {
    Transactions marked = this::askIfMarked;
    for (String slotTable : marked.ask(tx -> TableRows.names(tx, filter))) {
      marked.run(tx -> SchemaTables.dropTable(tx, slotTable));
    }
    // If keys cannot be removed, too: a late reservation by which they could may have made it.
    marked.run(tx -> SchemaTables.dropTable(tx, filter.tables().removed()));
    while (marked.ask(
            tx ->
                JournalTrimming.deleteBefore(tx, filter.id(), Long.MAX_VALUE, ROWS_PER_TRANSACTION))
        > 0) {}
    HashBlocks.deleteAllBefore(marked, filter.id(), tx -> Long.MAX_VALUE);
    marked.run(tx -> Catalog.deleteRows(tx, filter.id()));
  }

  /** A server that took over meanwhile may not know that the filter is being removed. */
  private <T> T askIfMarked(Function<Tx, T> work) {
    return transactions.ask(
        tx -> {
          if (!Catalog.isDropped(tx, filter.id())) {
            throw new FilterUnavailableException(
                ("Filter %s was not dropped: the database lost the beginning of it in a failover."
                        + " Some of its tables may be gone; repeat the call.")
                    .formatted(filter.name()),
                null);
          }
          return work.apply(tx);
        });
  }

  /**
   * Checks the DROP privilege before the filter is marked, because there is no way back after that.
   * Drops a table that never exists: the server checks the privilege first.
   */
  private void requireRightToDrop() {
    transactions.run(tx -> SchemaTables.dropTable(tx, filter.tables().slots(0)));
  }
}
