package io.github.slotbloom.internal.sql;

import static org.assertj.core.api.Assertions.assertThat;
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
import io.github.slotbloom.testing.TestSchema;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the views say of a filter is what Java says of it. */
@DatabaseContract(migrated = true)
@Timeout(300)
@Tag("mysql")
class ViewsIT {

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
  void viewsCannotBeWritten() throws SQLException {
    List<String> views =
        List.of("bloom_filter_status", "bloom_generation_status", "bloom_replacement_status");
    assertThat(
            sql.texts(
                "SELECT table_name AS name FROM information_schema.views WHERE table_schema ="
                    + " DATABASE() AND security_type = 'INVOKER' AND is_updatable = 'NO' ORDER BY"
                    + " name"))
        .isEqualTo(views);
    Sql elsewhere = new Sql(schema.database().admin());
    for (String view : views) {
      assertThatThrownBy(() -> sql.run("UPDATE " + view + " SET capacity = 1"))
          .hasMessageContaining("not updatable");
      // With no schema chosen, too.
      assertThat(elsewhere.rows("SELECT * FROM " + schema.name() + "." + view))
          .hasSameSizeAs(sql.rows("SELECT filter_id FROM " + view));
    }
  }
}
