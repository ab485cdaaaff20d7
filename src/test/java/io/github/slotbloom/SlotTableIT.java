package io.github.slotbloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** DDL is not transactional, so making a slot table can be cut off anywhere, and is repeated. */
@DatabaseContract
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
  void theTableIsThereButNotItsHistory() throws SQLException {
    makeUnfinished();
    sql.run("DELETE FROM bloom_slot_history WHERE version LIKE '2.%'");
    reserveAgain();
  }

  @Test
  void theHistoryIsThereButNotTheTable() throws SQLException {
    makeUnfinished();
    sql.run("DROP TABLE bloom_bits_words_v1");
    assertThatThrownBy(() -> bloom.reserve("words", SPEC))
        .isInstanceOf(SchemaException.class)
        .hasMessageContaining("bloom_bits_words_v1")
        .hasMessageContaining("bloom_slot_history");
    sql.runScript(bloom.reserveSql("words"));
    reserveAgain();
  }

  @Test
  void theHistorySaysFailedAndTheTableIsMissing() throws SQLException {
    makeUnfinished();
    sql.run("DROP TABLE bloom_bits_words_v1");
    assertThat(sql.run("UPDATE bloom_slot_history SET success = 0 WHERE version LIKE '2.%'"))
        .isEqualTo(1);
    reserveAgain();
  }

  @Test
  void aFailureOfAnotherFilterIsNotInTheWay() throws SQLException {
    assertThat(sql.run("UPDATE bloom_slot_history SET success = 0 WHERE version LIKE '1.%'"))
        .isEqualTo(1);
    assertThat(bloom.reserve("third", SPEC).add("x")).isTrue();
    assertThat(bloom.open("other", SPEC).add("x")).isTrue();
  }

  @Test
  void aFilterWithAHigherNumberMayHaveBeenMadeBefore() throws SQLException {
    makeUnfinished();
    sql.run("DROP TABLE bloom_bits_words_v1");
    sql.run("DELETE FROM bloom_slot_history WHERE version LIKE '2.%'");
    assertThat(bloom.reserve("third", SPEC).add("x")).isTrue();
    reserveAgain();
  }

  private void makeUnfinished() throws SQLException {
    sql.run(
        "UPDATE bloom_filter SET state = 'RESERVING', created_at = UTC_TIMESTAMP(3) - INTERVAL 60"
            + " SECOND WHERE name = 'words'");
  }

  private void reserveAgain() {
    BloomFilter<String> words = bloom.reserve("words", SPEC);
    assertThat(words.add("x")).isTrue();
    words.fold();
    assertThat(words.info().generations().get(0).slotTable()).isEqualTo("bloom_bits_words_v1");
    assertThat(words.info().bitsSet()).isPositive();
  }
}
