package io.github.slotbloom.internal.store.catalog;

import io.github.slotbloom.internal.store.Tx;

/** Creates the slot table of a generation. */
public final class SlotTable {

  private SlotTable() {}

  /** Returns true if a slot table can have that name, whatever filter it belongs to. */
  static boolean isName(String table) {
    return table.matches("bloom_bits_[a-z][a-z0-9_]{0,39}_v[0-9]{1,10}");
  }

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
