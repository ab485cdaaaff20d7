package io.github.slotbloom.internal.store.catalog;

import io.github.slotbloom.internal.store.session.Tx;

/** Creates the tables that a filter has for itself. Users may also run the statements by hand. */
public final class FilterTables {

  private FilterTables() {}

  /** Returns the statement that creates the slot table of a generation. */
  public static String slots(String table) {
    return """
        CREATE TABLE IF NOT EXISTS `%s` (
          slot BIGINT UNSIGNED NOT NULL COMMENT 'number of the slot; a missing row is 64 zero bits',
          bits BIGINT UNSIGNED NOT NULL COMMENT 'bit i of slot s is position 64 s + i',
          PRIMARY KEY (slot)
        ) ENGINE = InnoDB COMMENT = 'Slotbloom: the bit array of one generation';
        """
        .formatted(table);
  }

  /** Returns the statement that creates the table with the removed hashes of a filter. */
  public static String removed(String table) {
    return """
        CREATE TABLE IF NOT EXISTS `%s` (
          hash BIGINT NOT NULL COMMENT '64-bit hash of a removed key',
          seq BIGINT UNSIGNED NOT NULL COMMENT 'journal entry that removed it',
          PRIMARY KEY (hash)
        ) ENGINE = InnoDB COMMENT = 'Slotbloom: the removed hashes of one filter';
        """
        .formatted(table);
  }

  /** Creates a table unless it exists. Commits the transaction, as every DDL statement does. */
  public static void make(Tx tx, String sql) {
    tx.dsl().execute(sql);
  }
}
