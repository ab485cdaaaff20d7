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
    sql.run("DROP TABLE bloom_bits_words_v1");
    assertThat(bloom.reserve("third", SPEC).add("x")).isTrue();
    reserveAgain();
  }

  /** Earlier versions kept a history of slot tables, and read all of it. */
  @Test
  void anUnreadableHistoryOfAnEarlierVersionDoesNoHarm() throws SQLException {
    sql.run(
        """
        CREATE TABLE IF NOT EXISTS bloom_slot_history (
          installed_rank INT NOT NULL PRIMARY KEY, version VARCHAR(50),
          description VARCHAR(200) NOT NULL, type VARCHAR(20) NOT NULL,
          script VARCHAR(1000) NOT NULL, checksum INT, installed_by VARCHAR(100) NOT NULL,
          installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
          execution_time INT NOT NULL, success BOOL NOT NULL)""");
    sql.run(
        """
        INSERT INTO bloom_slot_history VALUES (77, '77.1', 'bloom_bits_odd_v1', 'JDBC', 'odd',
          NULL, 'app', '2027-03-28 02:30:00', 1, 1)""");
    SlotBloom inBerlin =
        instances.another(
            pool -> pool.addDataSourceProperty("connectionTimeZone", "Europe/Berlin"));
    assertThat(inBerlin.reserve("third", SPEC).add("x")).isTrue();
    inBerlin.admin().grow("words", 10_000);
    assertThat(inBerlin.open("words", SPEC).add("y")).isTrue();
    sql.run("DELETE FROM bloom_schema_history WHERE CAST(version AS UNSIGNED) >= 10");
    inBerlin.migrate();
    assertThat(sql.texts("SHOW TABLES LIKE 'bloom\\_slot%'")).isEmpty();
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
