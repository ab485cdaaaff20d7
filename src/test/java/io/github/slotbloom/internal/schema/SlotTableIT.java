package io.github.slotbloom.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Instances;
import io.github.slotbloom.testing.OddHours;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** DDL is not transactional, so making a slot table can be cut off anywhere, and is repeated. */
@OddHours
@DatabaseContract
@Tag("mysql")
class SlotTableIT {

  private static final FilterSpec<String> SPEC =
      FilterSpec.builder(KeyType.text()).capacity(1000).build();

  private final Instances instances;
  private final Sql sql;
  private SlotBloom bloom;

  SlotTableIT(TestSchema schema) {
    instances = new Instances(schema);
    sql = new Sql(schema.dataSource());
  }

  @BeforeEach
  void reserveSomething() {
    bloom = instances.another();
    bloom.migrate();
    bloom.reserve("other", SPEC).close();
    bloom.reserve("words", SPEC).close();
  }

  @AfterEach
  void close() {
    instances.close();
  }

  @Test
  void aFilterIsReservedAgainIfItsTableExists() throws SQLException {
    makeUnfinished();
    reserveAgain();
  }

  @Test
  void aFilterWithAHigherNumberMayHaveBeenMadeBefore() throws SQLException {
    makeUnfinished();
    sql.run("DROP TABLE " + sql.slots("words", 1));
    assertThat(bloom.reserve("third", SPEC).add("x")).isTrue();
    reserveAgain();
  }

  private void makeUnfinished() throws SQLException {
    sql.run(
        "UPDATE bloom_filter SET state = 'RESERVING', created_at = UTC_TIMESTAMP(3) - INTERVAL 60"
            + " SECOND WHERE name = 'words'");
  }

  private void reserveAgain() throws SQLException {
    BloomFilter<String> words = bloom.reserve("words", SPEC);
    assertThat(words.add("x")).isTrue();
    bloom.admin(words.name()).fold();
    assertThat(bloom.info(words.name()).generations().get(0).slotTable())
        .isEqualTo(sql.slots("words", 1));
    assertThat(bloom.info(words.name()).bitsSet()).isPositive();
  }
}
