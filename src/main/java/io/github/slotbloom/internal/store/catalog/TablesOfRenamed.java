package io.github.slotbloom.internal.store.catalog;

import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.internal.store.Tables.Filters;
import io.github.slotbloom.internal.store.Tables.Generations;
import io.github.slotbloom.internal.store.Tx;
import java.util.List;
import org.jooq.Condition;

/**
 * Finds tables that a renamed filter cannot have. The name of a table shows whether it belongs to a
 * filter only until that is renamed. With a table of another filter, a filter would answer for the
 * keys of that one.
 */
final class TablesOfRenamed {

  private TablesOfRenamed() {}

  /**
   * Refuses a renamed filter whose rows name a table that another row names as well.
   *
   * @throws CorruptFilterException if they do
   */
  static void requireItsOwn(Tx tx, FilterRecord filter) {
    if (!StoredFormat.isRenamed(filter.head().formatVersion())) {
      return;
    }
    for (GenerationRecord generation : filter.set().all()) {
      requireOnce(filter, generation.slotTable(), slotTables(tx, filter, generation));
    }
    RemovalRecord removal = filter.removal();
    if (removal != null) {
      requireOnce(filter, removal.table(), removedTables(tx, filter, removal));
    }
  }

  private static List<Long> slotTables(Tx tx, FilterRecord filter, GenerationRecord generation) {
    Condition others =
        Generations.FILTER_ID.ne(filter.id()).or(Generations.GENERATION.ne(generation.number()));
    return tx.dsl()
        .select(Generations.FILTER_ID)
        .from(Generations.TABLE)
        .where(Generations.SLOT_TABLE.eq(generation.slotTable()))
        .and(others)
        .fetch(Generations.FILTER_ID);
  }

  private static List<Long> removedTables(Tx tx, FilterRecord filter, RemovalRecord removal) {
    return tx.dsl()
        .select(Filters.ID)
        .from(Filters.TABLE)
        .where(Filters.REMOVED_TABLE.eq(removal.table()))
        .and(Filters.ID.ne(filter.id()))
        .fetch(Filters.ID);
  }

  private static void requireOnce(FilterRecord filter, String table, List<Long> others) {
    if (!others.isEmpty()) {
      throw new CorruptFilterException(
          ("Filter %s has the table %s, which the rows of filter number %s name as well."
                  + " Slotbloom never stores that. Put the row back as it was, or restore the"
                  + " bloom_ tables from one backup.")
              .formatted(filter.name(), table, others.get(0)));
    }
  }
}
