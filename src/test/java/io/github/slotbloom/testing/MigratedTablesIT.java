package io.github.slotbloom.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.SlotBloom;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that a schema of the tests is what a migration makes. */
@DatabaseContract
class MigratedTablesIT {

  private final TestDatabase database;

  MigratedTablesIT(TestDatabase database) {
    this.database = database;
  }

  @Test
  void theyAreAsAMigrationMakesThem() throws SQLException {
    try (TestSchema migrated = database.createSchema();
        TestSchema copied = database.createMigratedSchema();
        SlotBloom bloom = SlotBloom.on(migrated.dataSource())) {
      bloom.migrate();

      assertThat(contents(copied))
          .contains(
              "CREATE TABLE `bloom_journal`",
              "VIEW `bloom_filter_status`",
              "V1__catalog_and_journal.sql")
          .isEqualTo(contents(migrated));
    }
  }

  @Test
  void aMigrationFindsNothingToDo() throws SQLException {
    try (TestSchema copied = database.createMigratedSchema();
        SlotBloom bloom = SlotBloom.on(copied.dataSource())) {
      String before = contents(copied);

      bloom.migrate();

      assertThat(contents(copied)).isEqualTo(before);
    }
  }

  private static String contents(TestSchema schema) throws SQLException {
    Sql sql = new Sql(schema.dataSource());
    List<String> contents = new ArrayList<>();
    for (List<String> table : sql.rows("SHOW FULL TABLES")) {
      String kind = table.get(1).equals("VIEW") ? "VIEW" : "TABLE";
      contents.add(sql.rows("SHOW CREATE " + kind + " " + table.get(0)).get(0).get(1));
    }
    for (String about :
        List.of(
            "table_name, engine, row_format, table_collation, create_options FROM"
                + " information_schema.tables",
            "* FROM information_schema.columns",
            "table_name, index_name, seq_in_index, column_name, non_unique, collation, sub_part"
                + " FROM information_schema.statistics",
            "* FROM information_schema.table_constraints",
            "* FROM information_schema.views")) {
      String of = about.contains(".table_constraints") ? "constraint_schema" : "table_schema";
      sql.rows("SELECT " + about + " WHERE " + of + " = ? ORDER BY 1, 2, 3, 4, 5", schema.name())
          .forEach(row -> contents.add(row.toString().replace(schema.name(), "schema")));
    }
    // What is left out is when it was done, and how long it took.
    sql.rows(
            "SELECT installed_rank, version, description, type, script, checksum, installed_by,"
                + " success FROM bloom_schema_history ORDER BY installed_rank")
        .forEach(row -> contents.add(row.toString()));
    return String.join("\n", contents);
  }
}
