package io.github.slotbloom.internal.admin;

import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.RemovedTable;
import io.github.slotbloom.internal.store.catalog.SchemaTables;
import io.github.slotbloom.internal.store.catalog.SlotTable;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.store.slots.SlotRows;
import java.util.function.Consumer;
import java.util.function.Function;

/** Sees to it that a generation has a slot table, with nothing in it. */
public final class SlotTables {

  private final FilterDirectory directory;

  public SlotTables(FilterDirectory directory) {
    this.directory = directory;
  }

  /**
   * Makes the table, unless an operator did before: then this account needs no right to make one.
   *
   * @param action what is to be done again where it cannot be had
   * @throws SchemaException if the table cannot be made, or holds rows
   * @throws FilterUnavailableException if the database could not be reached
   */
  public void make(String table, String action) {
    make(table, tx -> SlotTable.make(tx, table), action);
  }

  /**
   * Makes the table for the removed hashes of a new filter.
   *
   * @throws SchemaException if the table cannot be made, or holds rows
   */
  public void makeForRemoved(String table, String action) {
    make(table, tx -> RemovedTable.make(tx, table), action);
  }

  private void make(String table, Consumer<Tx> making, String action) {
    boolean prepared = directory.ask(tx -> SchemaTables.tableExists(tx, table));
    if (!prepared) {
      create(table, making, action);
    } else if (!directory.ask(tx -> SlotRows.isEmpty(tx, table))) {
      throw holdsRows(table, action);
    }
  }

  private static SchemaException holdsRows(String table, String action) {
    return new SchemaException(
        ("The table %s already exists and holds rows. It belongs to no filter. Check its"
                + " rows, drop it, and %s again.")
            .formatted(table, action),
        null);
  }

  /** If it breaks off anywhere, repeating it does no harm. */
  private void create(String table, Consumer<Tx> making, String action) {
    try {
      directory.run(making);
    } catch (SchemaException | FilterUnavailableException e) {
      if (e.getCause() instanceof DatabaseFailure f && (!f.replayable() || f.lockWaitTimeout())) {
        throw notMade(table, f, action);
      }
      throw e;
    }
  }

  private static SchemaException notMade(String table, DatabaseFailure failure, String action) {
    String remedy =
        failure.denied()
            ? "The account needs CREATE on the schema; grant it"
            : "Fix what the server reports";
    return new SchemaException(
        ("Could not make the table %s: %s. %s, or have an operator run the printed"
                + " SQL, and %s again.")
            .formatted(table, failure.getMessage(), remedy, action),
        failure);
  }

  /**
   * Makes the table of a generation that was begun, and then does something with it. Leaves no
   * table behind that belongs to no filter.
   *
   * @return false if others began the generation meanwhile
   */
  public boolean makeNext(
      FilterRecord filter, int generation, String action, Function<Tx, Boolean> finish) {
    String table = filter.tables().slots(generation);
    try {
      make(table, action);
    } catch (SchemaException e) {
      if (directory.require(filter).knows(filter.head())) {
        throw e;
      }
      return false;
    }
    try {
      return directory.ask(finish);
    } catch (FilterNotFoundException e) {
      // Whoever dropped the filter did not see it yet. If it was renamed instead, others go on with
      // the table.
      dropOrphan(filter.id(), table, e);
      throw e;
    }
  }

  /**
   * Drops a table that was made for a filter if the filter is gone.
   *
   * @param reason what shows that it may be gone; is told if the table could not be dropped
   */
  void dropOrphan(long filterId, String table, RuntimeException reason) {
    try {
      directory.run(
          tx -> {
            if (!Catalog.exists(tx, filterId)) {
              SchemaTables.dropTable(tx, table);
            }
          });
    } catch (RuntimeException undropped) {
      reason.addSuppressed(undropped);
    }
  }
}
