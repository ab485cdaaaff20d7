package io.github.slotbloom;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.schema.Schema;
import io.github.slotbloom.store.FilterRecord;
import io.github.slotbloom.store.SlotRows;
import io.github.slotbloom.store.Tx;
import java.util.function.Function;
import java.util.function.Supplier;

/** Sees to it that a generation has a slot table, with nothing in it. */
final class SlotTables {

  private final Directory directory;
  private final Supplier<Schema> schema;

  /**
   * @param schema asked for only where a table is missing: it needs more on the class path
   */
  SlotTables(Directory directory, Supplier<Schema> schema) {
    this.directory = directory;
    this.schema = schema;
  }

  /**
   * Makes the table, unless an operator did before: then this account needs no right to make one.
   *
   * @param action what is to be done again where it cannot be had
   * @throws SchemaException if the table cannot be made, or holds rows
   */
  void make(long filterId, FilterName filter, int generation, String action) {
    String table = filter.slotTable(generation);
    boolean prepared = directory.ask(tx -> directory.catalog().tableExists(tx, table));
    if (!prepared) {
      schema.get().createSlotTable(filterId, filter, generation);
      if (!directory.ask(tx -> directory.catalog().tableExists(tx, table))) {
        throw new SchemaException(
            "The table "
                + table
                + " is missing, but bloom_slot_history says that it was made. Have an operator run"
                + " the printed SQL, and "
                + action
                + " again.",
            null);
      }
    } else if (!directory.ask(tx -> SlotRows.isEmpty(tx, table))) {
      throw new SchemaException(
          "The table "
              + table
              + " is there already and holds rows. It belongs to no filter; look at it, drop it,"
              + " and "
              + action
              + " again.",
          null);
    }
  }

  /**
   * As {@link #make}, for the next generation of a filter.
   *
   * @return false if others began the generation meanwhile
   */
  boolean makeUnlessOutgrown(FilterRecord filter, int generation, String action) {
    try {
      make(filter.id(), filter.name(), generation, action);
      return true;
    } catch (SchemaException e) {
      if (directory.require(filter.name()).knows(filter.head())) {
        throw e;
      }
      return false;
    }
  }

  /** Does something with a table that was made; leaves none behind that belongs to no filter. */
  <T> T unlessDropped(FilterRecord filter, int generation, Function<Tx, T> work) {
    try {
      return directory.ask(work);
    } catch (FilterNotFoundException e) {
      drop(filter, generation, e);
      throw e;
    }
  }

  /** Whoever dropped the filter did not see it yet. No other filter will ever get its name. */
  private void drop(FilterRecord filter, int generation, RuntimeException reason) {
    try {
      directory.ask(
          tx -> {
            directory.catalog().dropTable(tx, filter.name().slotTable(generation));
            return true;
          });
    } catch (RuntimeException e) {
      reason.addSuppressed(e);
    }
  }
}
