package io.github.slotbloom.schedule;

import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.ShortLease;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Takes a schema back to where it has two empty filters, one of them for keys that can be removed.
 * Making a schema takes far longer.
 */
final class CleanFilter implements AutoCloseable {

  private static final String TABLES =
      "SELECT table_name FROM information_schema.tables"
          + " WHERE table_schema = ? AND table_type = 'BASE TABLE' ORDER BY table_name";

  private final TestSchema schema;
  private final TestSchema kept;
  private final Connection connection;
  private final List<String> tables;

  CleanFilter(TestSchema schema) throws SQLException {
    kept = schema.database().createSchema();
    this.schema = schema;
    Sql sql = new Sql(schema.direct());
    try (SlotBloom bloom = SlotBloom.on(schema.direct())) {
      bloom.reserve(name(false), spec().build());
      bloom.reserve(name(true), spec().removable().build());
    }
    ShortLease.of(name(false), sql);
    ShortLease.of(name(true), sql);
    connection = schema.direct().getConnection();
    tables = sql.texts(TABLES, schema.name());
    for (String table : tables) {
      sql.run("CREATE TABLE " + kept.name() + "." + table + " LIKE " + table);
      sql.run("INSERT INTO " + kept.name() + "." + table + " SELECT * FROM " + table);
    }
  }

  private static FilterSpec.Builder<Long> spec() {
    return FilterSpec.builder(KeyType.longs()).capacity(1_000).seed(7).retainHashes();
  }

  /** Returns the name of one of the filters. */
  static String name(boolean removable) {
    return removable ? "removable" : "lasting";
  }

  void restore() throws SQLException {
    List<String> now = Sql.read(connection, TABLES, row -> row.getString(1), schema.name());
    List<String> work = new ArrayList<>(List.of("SET foreign_key_checks = 0", "BEGIN"));
    for (String table : tables) {
      if (now.contains(table)) {
        work.add("DELETE FROM " + table);
      } else {
        work.add("CREATE TABLE " + table + " LIKE " + kept.name() + "." + table);
      }
      work.add("INSERT INTO " + table + " SELECT * FROM " + kept.name() + "." + table);
    }
    work.add("COMMIT");
    now.stream().filter(table -> !tables.contains(table)).forEach(t -> work.add("DROP TABLE " + t));
    try (Statement statement = connection.createStatement()) {
      for (String one : work) {
        statement.execute(one);
      }
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
    kept.close();
  }
}
