package io.github.slotbloom.schedule;

import static io.github.slotbloom.testing.Exports.export;

import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.testing.ShortLease;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Takes a schema back to where it has an empty filter of each kind. Making a schema takes far
 * longer.
 */
final class CleanFilter implements AutoCloseable {

  /** What the filters are for. */
  enum Kind {
    LASTING("keys stay"),
    REMOVABLE("keys can be removed"),
    WINDOW("keys expire");

    private final String told;

    Kind(String told) {
      this.told = told;
    }

    /** Returns the name that the filter has when a run begins. */
    String filterName() {
      return name().toLowerCase(Locale.ROOT);
    }

    FilterSpec<Long> spec() {
      FilterSpec.Builder<Long> spec = FilterSpec.builder(KeyType.longs()).capacity(1_000).seed(7);
      return switch (this) {
        case LASTING -> spec.retainHashes().build();
        case REMOVABLE -> spec.retainHashes().buildRemovable();
        case WINDOW -> spec.window(LENGTH.length(), LENGTH.buckets()).build();
      };
    }

    @Override
    public String toString() {
      return told;
    }
  }

  /** Whose keys others take in: a lasting one with one key. */
  static final String SOURCE = "source";

  /** Nobody adds it elsewhere. */
  static final long KEY_OF_SOURCE = 9;

  /** Of the window. */
  static final Window LENGTH = new Window(Duration.ofMinutes(3), 3, false);

  private static final String TABLES =
      "SELECT table_name FROM information_schema.tables"
          + " WHERE table_schema = ? AND table_type = 'BASE TABLE' ORDER BY table_name";

  private final TestSchema schema;
  private final TestSchema kept;
  private final Connection connection;
  private final List<String> tables;
  private final Map<Kind, Long> ids = new EnumMap<>(Kind.class);
  private final byte[] export;

  CleanFilter(TestSchema schema) throws SQLException, IOException {
    kept = schema.database().createSchema();
    this.schema = schema;
    Sql sql = new Sql(schema.direct());
    try (SlotBloom bloom = SlotBloom.on(schema.direct())) {
      for (Kind kind : Kind.values()) {
        bloom.reserve(kind.filterName(), kind.spec());
      }
      bloom.reserve(SOURCE, Kind.LASTING.spec()).add(KEY_OF_SOURCE);
      bloom.admin(SOURCE).fold();
      export = export(bloom, SOURCE);
    }
    for (Kind kind : Kind.values()) {
      ShortLease.of(kind.filterName(), sql);
      ids.put(kind, sql.number("SELECT id FROM bloom_filter WHERE name = ?", kind.filterName()));
    }
    connection = schema.direct().getConnection();
    tables = sql.texts(TABLES, schema.name());
    for (String table : tables) {
      sql.run("CREATE TABLE " + kept.name() + "." + table + " LIKE " + table);
      sql.run("INSERT INTO " + kept.name() + "." + table + " SELECT * FROM " + table);
    }
  }

  /** Returns the number by which the tables know the filter of a kind. */
  long id(Kind kind) {
    return ids.get(kind);
  }

  /** Makes a filter from the export of the source. */
  void importSource(SlotBloom bloom, String name) {
    try {
      bloom.importFrom(name, new ByteArrayInputStream(export));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
