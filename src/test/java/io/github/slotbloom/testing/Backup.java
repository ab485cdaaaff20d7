package io.github.slotbloom.testing;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** A copy of all stored data of one filter. It can be restored later in one transaction. */
public final class Backup {

  private final long id;
  private final Map<String, String> rowsOfTables = new LinkedHashMap<>();

  private Backup(long id, List<String> slotTables) {
    this.id = id;
    rowsOfTables.put("bloom_filter", "id = " + id);
    rowsOfTables.put("bloom_generation", "filter_id = " + id);
    rowsOfTables.put("bloom_fold", "filter_id = " + id);
    rowsOfTables.put("bloom_journal", "filter_id = " + id);
    rowsOfTables.put("bloom_hash_block", "filter_id = " + id);
    slotTables.forEach(table -> rowsOfTables.put(table, "TRUE"));
  }

  public static Backup of(DataSource database, String filter) throws SQLException {
    Sql sql = new Sql(database);
    Backup backup =
        new Backup(
            sql.number("SELECT id FROM bloom_filter WHERE name = ?", filter),
            sql.texts(
                "SELECT slot_table FROM bloom_generation_status"
                    + " WHERE name = ? AND state IN ('ACTIVE', 'READY')",
                filter));
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

  /** Restores everything in the connection's transaction. */
  public void restore(Connection connection) throws SQLException {
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
