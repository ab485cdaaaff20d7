package io.github.slotbloom.internal.admin;

import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.FilterTable;
import io.github.slotbloom.internal.store.catalog.SchemaTables;
import io.github.slotbloom.internal.store.catalog.TableRows;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.store.slots.SlotRows;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Sees to it that a generation has a slot table, with nothing in it. */
public final class SlotTables {

  private final FilterDirectory directory;

  public SlotTables(FilterDirectory directory) {
    this.directory = directory;
  }

  /**
   * Makes the tables of a new filter, but for those that an operator made before: for them this
   * account needs no right.
   *
   * @param byOthers how else tables can be created, as part of a sentence
   * @param action what is to be done again where they cannot be had
   * @throws SchemaException if a table cannot be created, or holds rows
   * @throws FilterUnavailableException if the database could not be reached
   */
  public void makeFirst(List<FilterTable> tables, String byOthers, String action) {
    tables.forEach(table -> make(table, byOthers, action));
  }

  private void make(FilterTable table, String byOthers, String action) {
    boolean prepared = directory.ask(tx -> SchemaTables.tableExists(tx, table.name()));
    if (!prepared) {
      create(table, byOthers, action);
    } else if (!directory.ask(tx -> SlotRows.isEmpty(tx, table.name()))) {
      throw new SchemaException(
          ("The table %s already exists and has rows, but belongs to no filter. Check its rows,"
                  + " drop it, and %s again.")
              .formatted(table.name(), action),
          null);
    }
  }

  /** If it breaks off anywhere, repeating it does no harm. */
  private void create(FilterTable table, String byOthers, String action) {
    try {
      directory.run(table::make);
    } catch (SchemaException | FilterUnavailableException e) {
      if (e.getCause() instanceof DatabaseFailure f && (!f.replayable() || f.lockWaitTimeout())) {
        throw notMade(table.name(), f, byOthers, action);
      }
      throw e;
    }
  }

  private static SchemaException notMade(
      String table, DatabaseFailure failure, String byOthers, String action) {
    String remedy =
        failure.denied()
            ? "The account needs CREATE on the schema; grant it"
            : "Fix what the server reports";
    return new SchemaException(
        "Could not create the table %s: %s. %s%s, and %s again."
            .formatted(table, failure.getMessage(), remedy, byOthers, action),
        failure);
  }

  /**
   * Creates the table of a filter's next generation, unless it is there, and then does something
   * with it. Leaves no table behind that belongs to no filter. Safe to repeat: each attempt uses
   * the same table, whoever makes it.
   *
   * @param step takes the lock of the head, and returns what is to be done with the table; empty if
   *     it is not wanted, or others changed the generations meanwhile. It is asked before the table
   *     is made and once it is there; only then it is done
   * @return false if it is not done, and may be tried again with the filter as it is now
   */
  public boolean makeNext(
      FilterRecord filter, String action, Function<Tx, Optional<Runnable>> step) {
    int generation = filter.manifest().next();
    Optional<Boolean> made =
        directory.ask(
            tx -> step.apply(tx).map(unused -> TableRows.begin(tx, filter.id(), generation)));
    if (made.isEmpty() || !(made.get() || makeFor(filter, generation, action))) {
      return false;
    }
    try {
      return directory.ask(
          tx -> {
            // A failover may have lost the table since.
            Optional<Runnable> wanted =
                step.apply(tx).filter(unused -> TableRows.isMade(tx, filter.id(), generation));
            wanted.ifPresent(Runnable::run);
            return wanted.isPresent();
          });
    } catch (FilterNotFoundException e) {
      // Whoever dropped the filter did not see it yet. If it was renamed instead, others go on with
      // the table.
      FilterTable table = FilterTable.ofSlots(filter.tables().slots(generation));
      dropOrphans(filter.id(), List.of(table), e);
      throw e;
    }
  }

  private boolean makeFor(FilterRecord filter, int generation, String action) {
    FilterTable table = FilterTable.ofSlots(filter.tables().slots(generation));
    try {
      String byOthers =
          ", or have an operator run the SQL printed by slotbloom grow %s --capacity %s --dry-run"
              + " or FilterAdmin.growSql()";
      make(table, byOthers.formatted(filter.name(), 2 * filter.capacity()), action);
    } catch (SchemaException e) {
      if (directory.require(filter).knows(filter.head())) {
        throw e;
      }
      return false;
    }
    return directory.ask(
        tx -> {
          // A server that took over meanwhile may not have it.
          boolean there = SchemaTables.tableExists(tx, table.name());
          if (there) {
            TableRows.made(tx, filter.id(), generation);
          }
          return there;
        });
  }

  /**
   * Drops tables that were made for a filter if the filter is gone, or is about to go: whoever
   * drops it may have looked for its tables before these were there.
   *
   * @param reason what shows that it may be gone; is told if a table could not be dropped
   */
  public void dropOrphans(long filterId, List<FilterTable> tables, Throwable reason) {
    for (FilterTable table : tables) {
      try {
        directory.run(
            tx -> {
              if (Catalog.isDropped(tx, filterId)) {
                SchemaTables.dropTable(tx, table.name());
              }
            });
      } catch (RuntimeException undropped) {
        reason.addSuppressed(undropped);
        if (undropped instanceof FilterUnavailableException) {
          // The others would wait in vain as well.
          return;
        }
      }
    }
  }
}
