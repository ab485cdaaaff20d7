package io.github.slotbloom.internal.admin;

import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.internal.context.FilterContext;
import io.github.slotbloom.internal.context.RetriedTransactions;
import io.github.slotbloom.internal.store.RemovedRows;
import io.github.slotbloom.internal.store.Tokens;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.ExpiryRows;
import io.github.slotbloom.internal.store.catalog.GenerationRows;
import io.github.slotbloom.internal.store.catalog.ReplacementRows;
import io.github.slotbloom.internal.store.catalog.SchemaTables;
import io.github.slotbloom.internal.store.catalog.WindowRows;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.FilterState;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.RemovalRecord;
import io.github.slotbloom.internal.store.journal.FoldRows;
import io.github.slotbloom.internal.store.journal.HashBlocks;
import io.github.slotbloom.internal.store.journal.JournalTrimming;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.store.slots.SlotRows;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the keys of a filter, or the filter itself.
 *
 * <p>One commit begins a new epoch, and from it on no process adds or answers from the database.
 * Processes may answer from memory for one more lease. The rows go in batches, each under the lock
 * of the head, and so never rows of a later epoch.
 */
public final class Clearing {

  private static final int ROWS_PER_TRANSACTION = 10_000;

  /** 8 MiB. */
  private static final int HASH_BLOCKS_PER_TRANSACTION = 128;

  private static final Logger log = LoggerFactory.getLogger(Clearing.class);

  private final FilterContext context;
  private final RetriedTransactions transactions;

  /**
   * @param timeout how long one transaction may be tried; there may be many
   */
  public Clearing(FilterContext context, Duration timeout) {
    this.context = context;
    this.transactions = new RetriedTransactions(context, timeout);
  }

  public void clear() {
    begin(FilterState.CLEARING);
    long begun = context.time().nanoTime();
    while (transactions.attempt(this::clearSome)) {}
    LeaseEnd.await(context, begun);
    if (transactions.attempt(tx -> GenerationRows.hasLeftTables(tx, context.id()))) {
      dropLeftTablesIfPossible();
    }
  }

  private void dropLeftTablesIfPossible() {
    try {
      dropLeftTables();
    } catch (SchemaException | FilterUnavailableException e) {
      log.info(
          "filter {} was cleared, but old tables that nobody reads could not be dropped: {}",
          context.name(),
          e.getMessage());
    }
  }

  /** Drops the tables of generations that were replaced or given up a lease ago. */
  public void dropLeftTables() {
    // Whoever folds now may have seen the catalog as it was before.
    transactions.attempt(tx -> FoldRows.lock(tx, context.id()));
    transactions
        .attempt(tx -> GenerationRows.leftGenerations(tx, context.id()))
        .forEach(this::dropLeftTable);
  }

  private void dropLeftTable(int generation) {
    transactions.run(
        tx -> {
          // A server that took over meanwhile may not know that it was left.
          if (GenerationRows.leftGenerations(tx, context.id()).contains(generation)) {
            SchemaTables.dropTable(tx, context.filter().tables().slots(generation));
          }
        });
    transactions.run(tx -> GenerationRows.dropped(tx, context.id(), generation));
  }

  /**
   * Removes the filter itself: once no process answers from it anymore its tables, then its rows.
   */
  public void drop() {
    requireRightToDrop();
    // Nobody answers from a filter that cannot be opened yet.
    FilterState state = context.filter().head().state();
    boolean unused = state == FilterState.IMPORTING || state == FilterState.RESERVING;
    begin(FilterState.DROPPING);
    if (!unused) {
      LeaseEnd.await(context, context.time().nanoTime());
    }
    removeAll();
  }

  /**
   * Removes the filter as {@link #drop} does, if it expired and that was noticed for some time.
   * Also goes on with a removal that another process began.
   *
   * @return false if the filter is to stay, or if others removed it
   */
  public boolean dropExpired(Duration noticedFor) {
    requireRightToDrop();
    if (!transactions.attempt(tx -> beginToDropExpired(tx, noticedFor))) {
      return false;
    }
    LeaseEnd.await(context, context.time().nanoTime());
    removeAll();
    return true;
  }

  private boolean beginToDropExpired(Tx tx, Duration noticedFor) {
    Optional<FilterHead> found = Catalog.lockHeadOnAllServers(tx, context.filter());
    if (found.isEmpty() || !found.get().isOver()) {
      return false;
    }
    FilterHead head = found.get();
    if (head.state() == FilterState.DROPPING) {
      return true;
    }
    boolean due =
        noticedFor.isZero()
            || ExpiryRows.noticedFor(tx, context.id())
                .filter(noticed -> noticed.compareTo(noticedFor) >= 0)
                .isPresent();
    if (due) {
      beginEpoch(tx, FilterState.DROPPING, head);
    }
    return due;
  }

  private void removeAll() {
    for (String slotTable : transactions.attempt(tx -> Catalog.slotTables(tx, context.filter()))) {
      transactions.run(tx -> SchemaTables.dropTable(tx, slotTable));
    }
    RemovalRecord removal = context.filter().removal();
    if (removal != null) {
      transactions.run(tx -> SchemaTables.dropTable(tx, removal.table()));
    }
    while (transactions.attempt(this::deleteSomeOfJournal) > 0) {}
    while (transactions.attempt(this::deleteSomeHashBlocks) > 0) {}
    transactions.run(tx -> Catalog.deleteRows(tx, context.id()));
  }

  /**
   * Checks the DROP privilege before the filter is marked, because there is no way back after that.
   * Drops a table that never exists: the server checks the privilege first.
   */
  private void requireRightToDrop() {
    transactions.run(tx -> SchemaTables.dropTable(tx, context.filter().tables().slots(0)));
  }

  private int deleteSomeOfJournal(Tx tx) {
    return JournalTrimming.deleteBefore(tx, context.id(), Long.MAX_VALUE, ROWS_PER_TRANSACTION);
  }

  private static boolean deleteSomeSlots(Tx tx, FilterRecord filter) {
    return filter.generations().stream()
        .anyMatch(generation -> new SlotRows(generation).delete(tx, ROWS_PER_TRANSACTION) > 0);
  }

  private static int deleteSomeRemoved(Tx tx, FilterRecord filter) {
    return filter.removal() == null
        ? 0
        : new RemovedRows(filter.removal()).deleteAny(tx, ROWS_PER_TRANSACTION);
  }

  private int deleteSomeHashBlocks(Tx tx) {
    return HashBlocks.delete(tx, context.id(), HASH_BLOCKS_PER_TRANSACTION);
  }

  private void begin(FilterState state) {
    transactions.run(
        tx -> {
          FilterHead head = lock(tx);
          if (state == FilterState.CLEARING) {
            requireLasting(head);
          }
          if (head.state() != state) {
            if (state == FilterState.CLEARING) {
              giveUpReplacement(tx);
            }
            beginEpoch(tx, state, head);
          }
        });
  }

  private void beginEpoch(Tx tx, FilterState state, FilterHead head) {
    FoldRows.lock(tx, context.id());
    Catalog.beginEpoch(tx, context.id(), state);
    FoldRows.beginEpoch(tx, context.id(), head.epoch() + 1, head.lastSeq());
  }

  /** Aborts a replacement, because otherwise its old keys would come back after the clear. */
  private void giveUpReplacement(Tx tx) {
    FilterRecord filter = context.requireUnchanged(tx);
    if (filter.set().target() != null) {
      ReplacementRows.delete(tx, filter.id());
      GenerationRows.abandon(tx, filter, Tokens.next());
    }
  }

  /** Returns whether there is more to do. */
  private boolean clearSome(Tx tx) {
    FilterHead head = lock(tx);
    requireLasting(head);
    if (head.state() != FilterState.CLEARING) {
      return false;
    }
    FilterRecord filter = context.requireUnchanged(tx);
    if (deleteSomeSlots(tx, filter)
        || JournalTrimming.deleteBefore(tx, context.id(), head.lastSeq() + 1, ROWS_PER_TRANSACTION)
            > 0
        || deleteSomeHashBlocks(tx) > 0
        // A row that is left over would hide a key that is added later.
        || deleteSomeRemoved(tx, filter) > 0) {
      return true;
    }
    Catalog.setState(tx, context.id(), FilterState.ACTIVE);
    if (filter.window() != null) {
      // The buckets that are over answer with no keys until their time, and so do all layers of the
      // newest one but the last, to which all keys go.
      WindowRows.clear(tx, filter, filter.newestGeneration().capacity());
    } else if (filter.generations().size() > 1) {
      renew(tx, filter);
    }
    return false;
  }

  /**
   * One generation is enough for keys that are still to come, and errs and takes as if the filter
   * had been reserved for as many.
   */
  private void renew(Tx tx, FilterRecord filter) {
    GenerationRecord newest = filter.newestGeneration();
    GenerationRecord sole;
    try {
      sole = sole(filter, newest, filter.capacity());
    } catch (InvalidParameterException e) {
      log.info(
          "filter {} has less room now that it was cleared: {}", context.name(), e.getMessage());
      sole = sole(filter, newest, newest.capacity());
    }
    GenerationRows.renew(tx, filter.id(), sole);
  }

  private void requireLasting(FilterHead head) {
    if (head.isOver()) {
      throw FilterDirectory.over(context.filter().name(), head);
    }
    if (head.state() == FilterState.DROPPING) {
      throw new FilterNotFoundException(
          "Filter " + context.name() + " is being dropped, so it cannot be cleared.");
    }
  }

  private static GenerationRecord sole(
      FilterRecord filter, GenerationRecord newest, long capacity) {
    return filter.sole(newest.number(), newest.sinceSeq(), capacity);
  }

  private FilterHead lock(Tx tx) {
    return Catalog.lockHeadOnAllServers(tx, context.filter())
        .orElseThrow(
            () ->
                new FilterNotFoundException(
                    "Filter " + context.name() + " is no longer in the database."));
  }
}
