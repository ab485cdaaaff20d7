package io.github.slotbloom.internal.store.catalog;

import io.github.slotbloom.internal.store.session.Tx;

/** Creates the slot table of a generation. */
public final class SlotTable {

  private SlotTable() {}

  /** Returns the statement that creates the table. Users may also run it by hand. */
  public static String sql(String table) {
    return """
        CREATE TABLE IF NOT EXISTS `%s` (
          slot BIGINT UNSIGNED NOT NULL COMMENT 'number of the slot; a missing row is 64 zero bits',
          bits BIGINT UNSIGNED NOT NULL COMMENT 'bit i of slot s is position 64 s + i',
          PRIMARY KEY (slot)
        ) ENGINE = InnoDB COMMENT = 'Slotbloom: the bit array of one generation';
        """
        .formatted(table);
  }

  /** Creates the table unless it exists. Commits the transaction, as every DDL statement does. */
  public static void make(Tx tx, String table) {
    tx.dsl().execute(sql(table));
  }
}
