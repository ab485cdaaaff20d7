package io.github.slotbloom.testing;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** A copy of all stored data of one filter. It can be restored later in one transaction. */
public final class Backup {

  private static final String SLOT_TABLES =
      "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND"
          + " table_name LIKE ? ORDER BY table_name";

  private final long id;
  private final Map<String, String> rowsOfTables = new LinkedHashMap<>();
  private final List<String> slotTables;

  private Backup(long id, List<String> slotTables) {
    this.id = id;
    this.slotTables = slotTables;
    rowsOfTables.put("bloom_filter", "id = " + id);
    rowsOfTables.put("bloom_table", "filter_id = " + id);
    rowsOfTables.put("bloom_fold", "filter_id = " + id);
    rowsOfTables.put("bloom_journal", "filter_id = " + id);
    rowsOfTables.put("bloom_hash_block", "filter_id = " + id);
    slotTables.forEach(table -> rowsOfTables.put(table, "TRUE"));
  }

  public static Backup of(DataSource database, String filter) throws SQLException {
    Sql sql = new Sql(database);
    long id = sql.number("SELECT id FROM bloom_filter WHERE name = ?", filter);
    Backup backup = new Backup(id, sql.texts(SLOT_TABLES, slotTablesOf(id)));
    for (var rows : backup.rowsOfTables.entrySet()) {
      String copy = backup.copyOf(rows.getKey());
      sql.run("DROP TABLE IF EXISTS " + copy);
      sql.run(
          "CREATE TABLE "
              + copy
              + " AS SELECT * FROM "
              + rows.getKey()
              + " WHERE "
              + rows.getValue());
    }
    return backup;
  }

  private String copyOf(String table) {
    return "copy_" + id + "_of_" + table.replaceFirst("bloom_bits_.*_v", "slots_v");
  }

  private static String slotTablesOf(long id) {
    return "bloom\\_bits\\_" + id + "\\_%";
  }

  /**
   * Restores everything in the connection's transaction, which begins with that: tables that were
   * made or dropped since are as they were, too.
   */
  public void restore(Connection connection) throws SQLException {
    List<String> now = Sql.read(connection, SLOT_TABLES, row -> row.getString(1), slotTablesOf(id));
    for (String table : now) {
      if (!slotTables.contains(table)) {
        Sql.run(connection, "DROP TABLE " + table);
      }
    }
    for (String table : slotTables) {
      if (!now.contains(table)) {
        Sql.run(
            connection,
            "CREATE TABLE "
                + table
                + " (slot BIGINT UNSIGNED PRIMARY KEY, bits BIGINT UNSIGNED NOT NULL)");
      }
    }
    for (var rows : rowsOfTables.entrySet()) {
      Sql.run(connection, "DELETE FROM " + rows.getKey() + " WHERE " + rows.getValue());
      Sql.run(
          connection, "INSERT INTO " + rows.getKey() + " SELECT * FROM " + copyOf(rows.getKey()));
    }
  }

  /** Restores everything as if nobody wrote in the meantime. */
  public void restore(DataSource database) throws SQLException {
    try (Connection connection = database.getConnection()) {
      connection.setAutoCommit(false);
      restore(connection);
      connection.commit();
    }
  }
}
