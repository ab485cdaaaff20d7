package io.github.slotbloom;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.AfterDatabase;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Everything works under whatever settings the pool's connections come with, and they are given
 * back as they were. All pools here have one connection.
 */
@DatabaseContract
class SessionSettingsIT {

  private static final String SETTINGS =
      "SELECT CONNECTION_ID(), @@SESSION.transaction_isolation, @@SESSION.transaction_read_only,"
          + " @@SESSION.autocommit, @@SESSION.sql_mode, @@SESSION.sql_safe_updates,"
          + " @@SESSION.sql_select_limit, @@SESSION.sql_big_selects, @@SESSION.completion_type,"
          + " @@SESSION.innodb_lock_wait_timeout, @@SESSION.lock_wait_timeout,"
          + " @@SESSION.wait_timeout, @@SESSION.time_zone";

  private static final String UNUSUAL =
      "SET SESSION sql_mode = 'ANSI', sql_select_limit = 12345, innodb_lock_wait_timeout = 77,"
          + " lock_wait_timeout = 88, wait_timeout = 999, completion_type = 'CHAIN',"
          + " sql_safe_updates = 1, time_zone = '+05:00'";

  private static TestSchema schema;
  private static SlotBloom usual;
  private static final Map<Use, BloomFilter<String>> BESIDE = new EnumMap<>(Use.class);
  private static int runs;

  @BeforeDatabase
  static void migrate(TestSchema shared) {
    schema = shared;
    usual = SlotBloom.on(schema.pool(pool -> pool.setMaximumPoolSize(2)));
    usual.migrate();
    for (Use use : Use.values()) {
      BESIDE.put(use, usual.reserve(use.filterName(), use.spec(KeyType.text(), 20_000)));
    }
  }

  @AfterDatabase
  static void close() {
    usual.close();
  }

  @ParameterizedTest
  @CsvSource({
    "READ_UNCOMMITTED, true",
    "READ_UNCOMMITTED, false",
    "READ_COMMITTED, true",
    "READ_COMMITTED, false",
    "REPEATABLE_READ, true",
    "REPEATABLE_READ, false",
    "SERIALIZABLE, true",
    "SERIALIZABLE, false"
  })
  void connectionsAreGivenBackAsTheyWere(String isolation, boolean autocommit) throws SQLException {
    HikariDataSource pool =
        schema.pool(
            settings -> {
              settings.setMaximumPoolSize(1);
              settings.setAutoCommit(autocommit);
              settings.setTransactionIsolation("TRANSACTION_" + isolation);
              settings.setConnectionInitSql(UNUSUAL);
            });
    List<String> before = settingsOf(pool);
    useEverything(pool);
    assertThat(settingsOf(pool)).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sql_mode = ''",
        "sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT,HIGH_NOT_PRECEDENCE,IGNORE_SPACE'",
        "sql_mode = 'NO_BACKSLASH_ESCAPES'",
        "sql_mode = 'NO_UNSIGNED_SUBTRACTION,NO_AUTO_VALUE_ON_ZERO,PAD_CHAR_TO_FULL_LENGTH'",
        "sql_select_limit = 1",
        "sql_safe_updates = 1",
        "completion_type = 'CHAIN'",
        "transaction_read_only = 1",
        "autocommit = 0",
        "time_zone = '-11:00'",
        "unique_checks = 0, foreign_key_checks = 0, big_tables = 1",
      })
  void hostileSettingsChangeNothing(String hostile) {
    useEverything(hostilePool(hostile, true));
    useEverything(hostilePool(hostile, false));
  }

  @Test
  void filtersAreMadeAndDroppedUnderSettingsThatFlywayBears() {
    HikariDataSource pool =
        hostilePool(
            "sql_mode = 'ANSI,NO_BACKSLASH_ESCAPES', sql_safe_updates = 1, completion_type ="
                + " 'CHAIN'",
            false);
    try (SlotBloom bloom = SlotBloom.on(pool)) {
      bloom.migrate();
      bloom.reserve("hostile", Use.DEFERRED_MIRRORED.spec(KeyType.text())).addEach(keys("h"));
      bloom.drop("hostile");
      assertThat(usual.list()).doesNotContain("hostile");
    }
  }

  @Test
  void filtersAreClearedUnderHostileSettings() {
    HikariDataSource pool =
        hostilePool(
            "sql_mode = 'ANSI,NO_BACKSLASH_ESCAPES', sql_select_limit = 1, sql_safe_updates = 1,"
                + " completion_type = 'CHAIN', transaction_read_only = 1",
            false);
    BloomFilter<String> beside = BESIDE.get(Use.WRITE_THROUGH_MIRRORED);
    assertThat(beside.addEach(keys("h"))).containsOnly(true);
    try (SlotBloom bloom = SlotBloom.on(pool)) {
      BloomFilter<String> filter = bloom.open(beside.name(), KeyType.text());
      filter.clear();
      assertThat(filter.mightContainEach(keys("h"))).containsOnly(false);
      assertThat(filter.addEach(keys("h"))).containsOnly(true);
    }
    assertThat(beside.mightContainEach(keys("h"))).containsOnly(true);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatIsNotCommittedIsNotSeen(boolean autocommit) throws SQLException {
    String name = "dirty_" + autocommit;
    usual.reserve(name, Use.DEFERRED_MIRRORED.spec(KeyType.text())).close();
    HikariDataSource pool =
        schema.pool(
            settings -> {
              settings.setMaximumPoolSize(1);
              settings.setAutoCommit(autocommit);
              settings.setTransactionIsolation("TRANSACTION_READ_UNCOMMITTED");
            });
    try (SlotBloom bloom = SlotBloom.on(pool);
        Connection other = schema.dataSource().getConnection()) {
      BloomFilter<String> mirrored = bloom.open(name, KeyType.text());
      BloomFilter<String> direct =
          bloom.open(name, KeyType.text(), FilterOptions.defaults().withoutMirror());
      other.setAutoCommit(false);
      ByHand.append(other, name, "uncommitted", 4711);
      assertThat(mirrored.mightContain("uncommitted")).isFalse();
      assertThat(direct.mightContain("uncommitted")).isFalse();
      assertThat(direct.mightContainEach(List.of("uncommitted"))).containsExactly(false);
      other.commit();
      assertThat(mirrored.mightContain("uncommitted")).isTrue();
      assertThat(direct.mightContain("uncommitted")).isTrue();
      assertThat(mirrored.add("uncommitted")).isFalse();
    }
  }

  private static HikariDataSource hostilePool(String settings, boolean autocommit) {
    return schema.pool(
        pool -> {
          pool.setMaximumPoolSize(1);
          pool.setAutoCommit(autocommit);
          pool.setConnectionInitSql("SET SESSION " + settings);
        });
  }

  /** Adds and asks, beside an instance with the usual settings. */
  private static void useEverything(HikariDataSource pool) {
    String run = ++runs + " ";
    try (SlotBloom bloom = SlotBloom.on(pool)) {
      for (Use use : List.of(Use.DEFERRED_MIRRORED, Use.WRITE_THROUGH_DIRECT)) {
        BloomFilter<String> beside = BESIDE.get(use);
        long before = beside.info().keysAdded();
        BloomFilter<String> filter = bloom.open(beside.name(), KeyType.text(), use.options());
        assertThat(filter.add(run)).isTrue();
        assertThat(filter.add(run)).isFalse();
        assertThat(filter.addEach(keys(run + "many"))).containsOnly(true);
        assertThat(beside.mightContainEach(keys(run + "many"))).containsOnly(true);
        assertThat(beside.addEach(keys(run + "beside"))).containsOnly(true);
        assertThat(filter.mightContainEach(keys(run + "beside"))).containsOnly(true);
        assertThat(filter.mightContain(run + "none")).isFalse();
        filter.fold();
        assertThat(filter.mightContainEach(keys(run + "many"))).containsOnly(true);
        FilterInfo info = filter.info();
        assertThat(info.backlog()).isZero();
        assertThat(info.keysAdded()).isEqualTo(before + 601);
        assertThat(info).isEqualTo(beside.info());
        assertThat(bloom.list()).contains(beside.name());
      }
    }
  }

  /** So many that their hashes hold every byte that needs care in SQL. */
  private static List<String> keys(String prefix) {
    return IntStream.range(0, 300).mapToObj(i -> prefix + i).toList();
  }

  private static List<String> settingsOf(HikariDataSource pool) throws SQLException {
    return new ArrayList<>(new Sql(pool).rows(SETTINGS).get(0));
  }
}
