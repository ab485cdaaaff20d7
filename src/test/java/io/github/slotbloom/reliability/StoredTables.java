package io.github.slotbloom.reliability;

import io.github.slotbloom.testing.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The rows of a filter in {@code bloom_table}. Immutable. */
final class StoredTables {

  private record Row(int generation, long token, boolean made) {}

  private final List<Row> rows;

  private StoredTables(List<Row> rows) {
    this.rows = rows;
  }

  static StoredTables read(Connection connection, long filterId) throws SQLException {
    return new StoredTables(
        Sql.read(
            connection,
            "SELECT generation, token, made FROM bloom_table WHERE filter_id = ?",
            row -> new Row(row.getInt(1), row.getLong(2), row.getBoolean(3)),
            filterId));
  }

  /** What contradicts the manifest, a sentence each. */
  List<String> violations(ManifestRow manifest) {
    List<String> found = new ArrayList<>();
    for (GenerationRow generation : manifest.generations()) {
      Row expected = new Row(generation.number(), generation.token(), true);
      if (!rows.contains(expected)) {
        found.add("bloom_table lacks " + expected + ": " + rows);
      }
    }
    for (Row row : rows) {
      // No other one is made ahead, so the next one has not begun.
      if (row.generation > manifest.next()
          || (row.generation == manifest.next() && row.token != 0)) {
        found.add("bloom_table has " + row + ", but the next generation is " + manifest.next());
      }
    }
    return found;
  }
}
