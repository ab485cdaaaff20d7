package io.github.slotbloom.internal.store.catalog;

import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.internal.store.filter.TableNames;
import io.github.slotbloom.internal.store.session.Tx;
import java.util.List;

/**
 * A table that a filter has for itself.
 *
 * @param sql the statement that creates it, which users may also run by hand
 */
public record FilterTable(String name, String sql) {

  /** Returns the table for the slots of a generation. */
  public static FilterTable ofSlots(String name) {
    String sql =
        """
        CREATE TABLE IF NOT EXISTS `%s` (
          slot BIGINT UNSIGNED NOT NULL COMMENT 'number of the slot; a missing row is 64 zero bits',
          bits BIGINT UNSIGNED NOT NULL COMMENT 'bit i of slot s is position 64 s + i',
          PRIMARY KEY (slot)
        ) ENGINE = InnoDB COMMENT = 'Slotbloom: the bit array of one generation';
        """;
    return new FilterTable(name, sql.formatted(name));
  }

  /** Returns the table for the removed hashes of a filter. */
  public static FilterTable ofRemoved(String name) {
    String sql =
        """
        CREATE TABLE IF NOT EXISTS `%s` (
          hash BIGINT NOT NULL COMMENT '64-bit hash of a removed key',
          seq BIGINT UNSIGNED NOT NULL COMMENT 'journal entry that removed it',
          PRIMARY KEY (hash)
        ) ENGINE = InnoDB COMMENT = 'Slotbloom: the removed hashes of one filter';
        """;
    return new FilterTable(name, sql.formatted(name));
  }

  /** Returns the tables of a filter with one generation. */
  public static List<FilterTable> ofNew(TableNames names, boolean removable) {
    FilterTable slots = ofSlots(names.slots(1));
    return removable ? List.of(slots, ofRemoved(names.removed())) : List.of(slots);
  }

  /** Creates the table unless it exists. Commits the transaction, as every DDL statement does. */
  public void make(Tx tx) {
    tx.dsl().execute(sql);
  }

  /**
   * Refuses to use tables that were made and are not there.
   *
   * @param action what is to be done again
   * @throws SchemaException if the schema lacks one of them
   */
  public static void requireMade(Tx tx, List<FilterTable> tables, String action) {
    for (FilterTable table : tables) {
      if (!SchemaTables.tableExists(tx, table.name())) {
        throw new SchemaException(
            ("The table %s was created and is missing: the database lost it in a failover, or"
                    + " somebody dropped it. %s again.")
                .formatted(table.name(), action),
            null);
      }
    }
  }
}
