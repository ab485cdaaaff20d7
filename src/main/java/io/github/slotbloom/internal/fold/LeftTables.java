package io.github.slotbloom.internal.fold;

import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.store.catalog.SchemaTables;
import io.github.slotbloom.internal.store.catalog.TableRows;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.journal.FoldRows;
import io.github.slotbloom.internal.store.session.Transactions;
import io.github.slotbloom.internal.store.session.Tx;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * Drops the tables of slots that a filter does no longer use: those of generations that were
 * replaced, given up or cleared, or whose keys have expired. Any process may do it, and several at
 * once. Thread-safe.
 *
 * <p>A table is dropped a lease after it was noted as left, since processes that answer from memory
 * may load what they had before. Its row stays for an hour, and then the table is dropped once
 * more: a process that was frozen may have recreated it.
 */
public final class LeftTables {

  private static final Duration ROW_STAYS = Duration.ofHours(1);

  private final FollowedFilter followed;
  private final Transactions transactions;

  public LeftTables(FollowedFilter followed, Transactions transactions) {
    this.followed = followed;
    this.transactions = transactions;
  }

  /**
   * Takes a step: notes which tables are left, and drops those that were noted long enough ago.
   *
   * @throws io.github.slotbloom.error.SchemaException if this account may not drop tables
   */
  public void sweep() {
    if (transactions.ask(tx -> TableRows.left(tx, now(tx))).isEmpty()) {
      return;
    }
    note();
    Duration lease = followed.now().lease();
    drop(transactions.ask(tx -> TableRows.leftFor(tx, now(tx), lease)));
    for (int generation : transactions.ask(tx -> TableRows.goneFor(tx, now(tx), ROW_STAYS))) {
      dropTable(generation);
      ifLeft(generation, tx -> TableRows.delete(tx, followed.id(), generation));
    }
  }

  private FilterRecord now(Tx tx) {
    return followed.requireUnchanged(tx);
  }

  /** Notes which tables are left, and returns the numbers of their generations. */
  public List<Integer> note() {
    return transactions.ask(
        tx -> {
          FilterRecord filter = now(tx);
          for (int generation : TableRows.leftAndMade(tx, filter)) {
            TableRows.noteLeft(tx, followed.id(), generation);
          }
          return TableRows.leftFor(tx, filter, Duration.ZERO);
        });
  }

  /**
   * Drops tables that were left a lease ago.
   *
   * @param generations whose tables they are
   * @throws io.github.slotbloom.error.SchemaException if this account may not drop tables
   */
  public void drop(List<Integer> generations) {
    if (generations.isEmpty()) {
      return;
    }
    // Whoever folds now may have seen the filter as it was before.
    transactions.run(tx -> FoldRows.lock(tx, followed.id()));
    for (int generation : generations) {
      dropTable(generation);
      ifLeft(generation, tx -> TableRows.dropped(tx, followed.id(), generation));
    }
  }

  private void dropTable(int generation) {
    ifLeft(generation, tx -> SchemaTables.dropTable(tx, followed.now().tables().slots(generation)));
  }

  /** A server that took over meanwhile may not know that the table was left. */
  private void ifLeft(int generation, Consumer<Tx> work) {
    transactions.run(
        tx -> {
          if (TableRows.left(tx, now(tx)).contains(generation)) {
            work.accept(tx);
          }
        });
  }
}
