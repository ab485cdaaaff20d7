package io.github.slotbloom.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterInfo.Generation.State;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.AfterDatabase;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.StoredManifest;
import io.github.slotbloom.testing.TestSchema;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the views say of a filter is what Java says of it. */
@DatabaseContract(migrated = true, shortLeases = true)
@Timeout(300)
@Tag("mysql")
class ViewsIT {

  private static final List<String> VIEWS =
      List.of(
          "bloom_filter_status",
          "bloom_generation_status",
          "bloom_replacement_status",
          "bloom_unused_table");

  @Fixture private static TestSchema schema;
  private static Sql sql;
  private static Sql reader;
  private static SlotBloom bloom;

  @BeforeDatabase
  static void connect() throws SQLException {
    sql = new Sql(schema.dataSource());
    reader = new Sql(schema.dataSource(schema.createAccount("SELECT")));
    bloom = SlotBloom.on(schema.dataSource());
  }

  @AfterDatabase
  static void close() {
    bloom.close();
  }

  @Test
  void aFilterIsShownAsJavaSeesIt() throws SQLException {
    FilterSpec<String> spec = FilterSpec.builder(KeyType.text()).capacity(1000).build();
    try (BloomFilter<String> filter = bloom.reserve("seen", spec)) {
      requireAgreement("seen", 1);
      filter.addEach(List.of("a", "b", "c"));
      requireAgreement("seen", 1);
      bloom.admin(filter.name()).fold();
      assertThat(
              reader.number("SELECT backlog_entries FROM bloom_filter_status WHERE name = 'seen'"))
          .isZero();
      bloom.admin("seen").grow(5000);
      filter.add("d");
      requireAgreement("seen", 2);
      bloom.admin(filter.name()).clear();
      requireAgreement("seen", 1);
    }
  }

  /** Read with an account that has no right but SELECT. */
  private static void requireAgreement(String name, int generations) throws SQLException {
    FilterInfo info = bloom.info(name);
    assertThat(info.generations())
        .filteredOn(one -> one.state() == State.ACTIVE)
        .hasSize(generations);
    assertThat(
            reader.rows(
                "SELECT state, capacity, keys_added, generations, bits FROM bloom_filter_status"
                    + " WHERE name = '"
                    + name
                    + "'"))
        .containsExactly(
            List.of(
                "ACTIVE",
                String.valueOf(info.capacity()),
                String.valueOf(info.keysAdded()),
                String.valueOf(generations),
                String.valueOf(info.bits())));
    assertThat(
            reader.texts(
                "SELECT slot_table FROM bloom_generation_status WHERE state = 'ACTIVE' AND name ="
                    + " '"
                    + name
                    + "' ORDER BY generation"))
        .hasSize(generations)
        .allSatisfy(table -> assertThat(reader.rows("SELECT 1 FROM " + table)).isNotNull());
  }

  @Test
  void tablesThatNoGenerationUsesAreShown() throws SQLException {
    bloom.reserve("leaving", FilterSpec.builder(KeyType.text()).capacity(1000).build()).close();
    assertThat(unused("leaving")).isEmpty();
    long id = bloom.info("leaving").id();
    sql.run("INSERT INTO bloom_table (filter_id, generation) VALUES (?, 2)", id);
    assertThat(unused("leaving")).containsExactly("v2 being created, holds no keys");
    sql.runScript(bloom.admin("leaving").growSql());
    sql.run("UPDATE bloom_table SET made = TRUE WHERE filter_id = ? AND generation = 2", id);
    assertThat(unused("leaving")).containsExactly("v2 created ahead, holds no keys");
    bloom.admin("leaving").grow(5000);
    assertThat(unused("leaving")).isEmpty();
    bloom.admin("leaving").clear();
    assertThat(unused("leaving")).containsExactly("v1 dropped", "v2 dropped");
    sql.run("UPDATE bloom_table SET made = TRUE WHERE filter_id = ? AND generation = 2", id);
    assertThat(unused("leaving"))
        .containsExactly(
            "v1 dropped", "v2 replaced, aborted, cleared or expired; will be dropped soon");
  }

  private static List<String> unused(String name) throws SQLException {
    return reader.texts(
        "SELECT CONCAT(SUBSTRING_INDEX(slot_table, '_', -1), ' ', description) FROM"
            + " bloom_unused_table WHERE name = ? ORDER BY generation",
        name);
  }

  /** What the others are like is of use then, too. */
  @Test
  void aManifestThatCannotBeReadHidesNoOtherFilter() throws SQLException {
    FilterSpec<String> spec = FilterSpec.builder(KeyType.text()).capacity(1000).build();
    bloom.reserve("legible", spec).close();
    bloom.reserve("illegible", spec).close();
    sql.run(
        "INSERT INTO bloom_table (filter_id, generation) SELECT id, 2 FROM bloom_filter WHERE name"
            + " LIKE '%legible'");
    StoredManifest manifest = new StoredManifest(sql, "illegible");
    String before = manifest.text();
    for (String wrong :
        List.of(
            "",
            "not json",
            "null",
            "[1]",
            before.substring(0, before.length() - 1),
            before.replace("1000", "18446744073709551616"),
            before.replace("1000", "\"many\""))) {
      manifest.write(wrong);
      for (String view : VIEWS) {
        assertThatCode(() -> reader.rows("SELECT * FROM " + view))
            .as("%s of %s", view, wrong)
            .doesNotThrowAnyException();
      }
      requireAgreement("legible", 1);
      assertThat(unused("legible")).hasSize(1);
      assertThat(reader.texts("SELECT state FROM bloom_filter_status WHERE name = 'illegible'"))
          .containsExactly("ACTIVE");
    }
    manifest.write(before);
    requireAgreement("illegible", 1);
  }

  @Test
  void viewsCannotBeWritten() throws SQLException {
    assertThat(
            sql.texts(
                "SELECT table_name AS name FROM information_schema.views WHERE table_schema ="
                    + " DATABASE() AND security_type = 'INVOKER' AND is_updatable = 'NO' ORDER BY"
                    + " name"))
        .isEqualTo(VIEWS);
    Sql elsewhere = new Sql(schema.database().admin());
    for (String view : VIEWS) {
      assertThatThrownBy(() -> sql.run("UPDATE " + view + " SET filter_id = 1"))
          .hasMessageContaining("not updatable");
      // With no schema chosen, too.
      assertThat(elsewhere.rows("SELECT * FROM " + schema.name() + "." + view))
          .hasSameSizeAs(sql.rows("SELECT filter_id FROM " + view));
    }
  }
}
