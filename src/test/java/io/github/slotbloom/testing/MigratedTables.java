package io.github.slotbloom.testing;

import io.github.slotbloom.SlotBloom;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a migration makes, as the statements that the server itself shows for it: tables, views and
 * Flyway's history. Most tests need the tables and not the way to them, and these statements take a
 * fraction of what all migrations take.
 */
final class MigratedTables {

  private final List<String> statements;

  private MigratedTables(List<String> statements) {
    this.statements = statements;
  }

  /** Migrates a schema and reads what is there then. */
  static MigratedTables of(TestDatabase database) throws SQLException {
    try (TestSchema schema = database.createSchema();
        SlotBloom bloom = SlotBloom.on(schema.direct())) {
      bloom.migrate();
      Sql sql = new Sql(schema.direct());
      List<String> statements = new ArrayList<>();
      for (String table : named(sql, "BASE TABLE")) {
        statements.add(sql.rows("SHOW CREATE TABLE " + table).get(0).get(1));
        List<List<String>> rows = sql.rows("SELECT * FROM " + table);
        if (!rows.isEmpty()) {
          statements.add("INSERT INTO " + table + " VALUES " + literals(rows));
        }
      }
      for (String view : named(sql, "VIEW")) {
        statements.add(
            sql.rows("SHOW CREATE VIEW " + view)
                .get(0)
                .get(1)
                .replace("`" + schema.name() + "`.", ""));
      }
      return new MigratedTables(statements);
    }
  }

  private static List<String> named(Sql sql, String type) throws SQLException {
    return sql.texts(
        "SELECT table_name FROM information_schema.tables"
            + " WHERE table_schema = DATABASE() AND table_type = ? ORDER BY table_name",
        type);
  }

  private static String literals(List<List<String>> rows) {
    return rows.stream()
        .map(
            row ->
                row.stream()
                    .map(value -> value.equals("null") ? "NULL" : "'" + value + "'")
                    .collect(Collectors.joining(", ", "(", ")")))
        .collect(Collectors.joining(", "));
  }

  /** Returns what makes the tables in the schema that is in use. */
  List<String> statements() {
    return statements;
  }
}
