package io.github.slotbloom.internal.store.catalog;

import io.github.slotbloom.internal.store.session.Tx;

/** Creates the table with the removed hashes of a filter. */
public final class RemovedTable {

  private RemovedTable() {}

  /** Returns the statement that creates the table. Users may also run it by hand. */
  public static String sql(String table) {
    return """
        CREATE TABLE IF NOT EXISTS `%s` (
          hash BIGINT NOT NULL COMMENT '64-bit hash of a removed key',
          seq BIGINT UNSIGNED NOT NULL COMMENT 'journal entry that removed it',
          PRIMARY KEY (hash)
        ) ENGINE = InnoDB COMMENT = 'Slotbloom: the removed hashes of one filter';
        """
        .formatted(table);
  }

  /** Creates the table unless it exists. Commits the transaction, as every DDL statement does. */
  public static void make(Tx tx, String table) {
    tx.dsl().execute(sql(table));
  }
}
