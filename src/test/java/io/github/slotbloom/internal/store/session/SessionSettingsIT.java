package io.github.slotbloom.internal.store.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.TransactionStateException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Removing;
import io.github.slotbloom.testing.SessionSettings;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestDatabase;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Everything works under whatever settings the pool's connections come with, and they are given
 * back as they were. All pools here have one connection.
 */
@DatabaseContract(shortLeases = true)
@Tag("mysql")
class SessionSettingsIT {

  private static final String UNUSUAL =
      "SET SESSION sql_mode = 'ANSI', sql_select_limit = 12345, innodb_lock_wait_timeout = 77,"
          + " lock_wait_timeout = 88, wait_timeout = 999, sql_safe_updates = 1, time_zone ="
          + " '+05:00'";

  /** Only where each statement is autocommitted: otherwise a transaction is always open. */
  private static final String CHAINED = ", completion_type = 'CHAIN'";

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom usual;
  private static final Map<Use, BloomFilter<String>> BESIDE = new EnumMap<>(Use.class);
  private static int runs;

  @BeforeDatabase
  static void migrate() {
    for (Use use : Use.values()) {
      BESIDE.put(use, usual.reserve(use.filterName(), use.spec(KeyType.text(), 20_000)));
    }
  }

  @ParameterizedTest
  @CsvSource({"READ_UNCOMMITTED, false", "REPEATABLE_READ, true", "SERIALIZABLE, false"})
  void connectionsAreReturnedAsTheyWere(String isolation, boolean autocommit) throws SQLException {
    HikariDataSource pool =
        schema.pool(
            settings -> {
              settings.setMaximumPoolSize(1);
              settings.setAutoCommit(autocommit);
              settings.setTransactionIsolation("TRANSACTION_" + isolation);
              settings.setConnectionInitSql(UNUSUAL + (autocommit ? CHAINED : ""));
            });
    List<String> before = settingsOf(pool);
    useEverything(pool);
    assertThat(settingsOf(pool)).isEqualTo(before);
  }

  /** What each mode does is tried below. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "sql_mode = '', sql_select_limit = 1, sql_safe_updates = 1, time_zone = '-11:00'",
        "sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES', transaction_read_only = 1, autocommit = 0",
        "unique_checks = 0, foreign_key_checks = 0, big_tables = 1",
      })
  void hostileSettingsChangeNoAnswer(String hostile) {
    useEverything(hostilePool(hostile, true));
    useEverything(hostilePool(hostile, false));
  }

  /** More than one statement tells at once, from sessions in which the driver is mistaken. */
  @Test
  void aReadOfManyEntriesLeavesNoTransactionOpen() throws SQLException {
    HikariDataSource pool = hostilePool("autocommit = 0", true);
    try (Connection folding = schema.dataSource().getConnection();
        SlotBloom bloom = SlotBloom.on(pool);
        BloomFilter<String> writing = usual.reserve("entries", Use.DIRECT.spec(KeyType.text()))) {
      folding.setAutoCommit(false);
      Sql.run(folding, "SELECT * FROM bloom_fold FOR UPDATE");
      for (int i = 0; i < 300; i++) {
        writing.add("key " + i);
      }
      BloomFilter<String> filter =
          bloom.open("entries", KeyType.text(), FilterOptions.defaults().withoutMirror());
      assertThat(filter.add("new")).isTrue();
      assertThat(filter.add("new")).isFalse();
      assertThat(filter.mightContain("key 0")).isTrue();
      folding.rollback();
    }
  }

  /** Modes of MariaDB alone. */
  @Test
  void modesThatChangeWhatIsSentAreTakenAway(TestDatabase database) throws SQLException {
    if (database.isMariaDb()) {
      String modes = "sql_mode = 'EMPTY_STRING_IS_NULL,SIMULTANEOUS_ASSIGNMENT'";
      useEverything(hostilePool(modes, true));
      tablesAreMadeUnderHostileSettings(modes);
    }
  }

  @Test
  void noModeOfTheServerChangesAnAnswer() throws SQLException {
    List<String> all = modesOfTheServer();
    assertThat(all).contains("ANSI_QUOTES", "NO_BACKSLASH_ESCAPES", "PAD_CHAR_TO_FULL_LENGTH");
    List<String> modes = new ArrayList<>();
    for (int from = 0; from < all.size(); from += 4) {
      modes.add(String.join(",", all.subList(from, Math.min(from + 4, all.size()))));
    }
    FilterSpec<String> spec =
        FilterSpec.builder(KeyType.text())
            .capacity(10_000)
            .hash(HashAlgorithm.SHA256)
            .buildRemovable();
    usual.reserve("modes", spec).close();
    for (String mode : modes) {
      HikariDataSource pool = hostilePool("sql_mode = '" + mode + "'", true);
      try (SlotBloom bloom = SlotBloom.on(pool)) {
        BloomFilter<String> filter = bloom.open("modes", spec);
        List<String> keys = keys(mode).subList(0, 20);
        long before = bloom.info(filter.name()).keysAdded();
        assertThat(filter.addEach(keys)).as(mode).containsOnly(true);
        assertThat(Removing.from(filter).remove(keys.get(0))).as(mode).isTrue();
        bloom.admin(filter.name()).fold();
        assertThat(filter.mightContain(keys.get(0))).as(mode).isFalse();
        assertThat(filter.addEach(keys)).as(mode).startsWith(true, false).endsWith(false);
        assertThat(bloom.info(filter.name()).keysAdded()).as(mode).isEqualTo(before + keys.size());
      }
      addWithin(pool, spec, mode);
      askBySql(pool, mode);
      pool.close();
    }
  }

  /** A transaction of the application keeps its modes, of which most have a strict one. */
  private static void addWithin(HikariDataSource pool, FilterSpec<String> spec, String mode)
      throws SQLException {
    BloomFilter<String> filter = usual.open("modes", spec);
    try (Connection connection = pool.getConnection()) {
      try (Statement statement = connection.createStatement()) {
        statement.execute(
            "SET SESSION sql_mode = CONCAT(@@SESSION.sql_mode, ',STRICT_ALL_TABLES')");
      }
      connection.setAutoCommit(false);
      assertThat(filter.within(connection).add(mode + " within")).as(mode).isTrue();
      connection.commit();
    }
    assertThat(filter.mightContain(mode + " within")).as(mode).isTrue();
  }

  private static void askBySql(HikariDataSource pool, String mode) throws SQLException {
    String function = new Sql(schema.dataSource()).function("modes");
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : usual.admin("modes").functionSql()) {
        statement.execute(sql);
      }
      try (ResultSet row =
          statement.executeQuery(
              "SELECT %1$s('%2$s within'), %1$s('none')".formatted(function, mode))) {
        row.next();
        assertThat(List.of(row.getInt(1), row.getInt(2))).as(mode).containsExactly(1, 0);
      }
    }
  }

  /** Each is one bit of a number, which the server names. */
  private static List<String> modesOfTheServer() throws SQLException {
    List<String> modes = new ArrayList<>();
    try (Connection connection = schema.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      for (int bit = 0; bit < Long.SIZE; bit++) {
        try {
          statement.execute("SET SESSION sql_mode = " + Long.toUnsignedString(1L << bit));
        } catch (SQLException e) {
          // Past the last mode, and in place of each one that is gone.
          continue;
        }
        try (ResultSet row = statement.executeQuery("SELECT @@SESSION.sql_mode")) {
          row.next();
          modes.add(row.getString(1));
        }
      }
    }
    return modes;
  }

  @Test
  void chainedTransactionsWithoutAutocommitAreRefused() {
    useEverything(hostilePool("completion_type = 'CHAIN'", true));
    HikariDataSource pool = hostilePool("completion_type = 'CHAIN'", false);
    assertThatExceptionOfType(TransactionStateException.class)
        .isThrownBy(() -> useEverything(pool))
        .withMessageContaining("completion_type CHAIN");
  }

  @Test
  void aTimeLimitForStatementsDoesNotStopOurs(TestDatabase database) {
    String limit = database.isMariaDb() ? "max_statement_time = 0.001" : "max_execution_time = 1";
    useEverything(hostilePool(limit, true));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sql_safe_updates = 1, max_join_size = 1, sql_select_limit = 3",
        "sql_select_limit = 1, completion_type = 'CHAIN'",
        "transaction_read_only = 1, default_storage_engine = 'MyISAM'",
      })
  void tablesAreMadeUnderHostileSettings(String hostile) throws SQLException {
    try (TestSchema empty = schema.database().createSchema()) {
      HikariDataSource pool = hostilePool(empty, hostile, true);
      List<String> before = settingsOf(pool);
      try (SlotBloom bloom = SlotBloom.on(pool)) {
        bloom.migrate();
        bloom.migrate();
        assertThat(bloom.isMigrated()).isTrue();
        assertThat(enginesOf(empty)).isEqualTo("InnoDB");
        assertThat(bloom.reserve("made", Use.MIRRORED.spec(KeyType.text())).add("key")).isTrue();
      }
      assertThat(settingsOf(pool)).isEqualTo(before);
    }
  }

  @Test
  void anErrorNamesABinaryLogOfStatementsAndTheRemedy() {
    HikariDataSource pool = hostilePool("binlog_format = 'STATEMENT'", true);
    try (SlotBloom bloom = SlotBloom.on(pool)) {
      assertThatExceptionOfType(FilterUnavailableException.class)
          .isThrownBy(() -> bloom.reserve("statements", Use.MIRRORED.spec(KeyType.text())))
          .withMessageContaining("SET GLOBAL binlog_format = 'ROW'")
          .withMessageNotContaining("address");
      BloomFilter<String> filter = bloom.open(BESIDE.get(Use.MIRRORED).name(), KeyType.text());
      assertThatExceptionOfType(WriteFailedException.class)
          .isThrownBy(() -> filter.add("statements"))
          .withMessageContaining("SET GLOBAL binlog_format = 'ROW'");
      assertThatExceptionOfType(FilterUnavailableException.class)
          .isThrownBy(() -> bloom.admin(filter.name()).clear())
          .withMessageContaining("SET GLOBAL binlog_format = 'ROW'")
          .withMessageNotContaining("address")
          .withMessageNotContaining("database is up");
    }
  }

  @Test
  void filtersAreMadeClearedAndDroppedUnderHostileSettings() {
    HikariDataSource pool =
        hostilePool(
            "sql_mode = 'ANSI,NO_BACKSLASH_ESCAPES', sql_select_limit = 1, sql_safe_updates = 1,"
                + " transaction_read_only = 1",
            false);
    try (SlotBloom bloom = SlotBloom.on(pool)) {
      bloom.migrate();
      BloomFilter<String> filter = bloom.reserve("hostile", Use.MIRRORED.spec(KeyType.text()));
      filter.addEach(keys("h"));
      bloom.admin(filter.name()).clear();
      assertThat(filter.mightContainEach(keys("h"))).containsOnly(false);
      assertThat(filter.addEach(keys("h"))).containsOnly(true);
      bloom.admin("hostile").drop();
      assertThat(usual.names()).doesNotContain("hostile");
    }
  }

  @Test
  void uncommittedKeysAreNotSeen() throws SQLException {
    String name = "dirty";
    usual.reserve(name, Use.MIRRORED.spec(KeyType.text())).close();
    HikariDataSource pool =
        schema.pool(
            settings -> {
              settings.setMaximumPoolSize(1);
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
    return hostilePool(schema, settings, autocommit);
  }

  private static HikariDataSource hostilePool(
      TestSchema schema, String settings, boolean autocommit) {
    // Older servers of MariaDB know it by this name alone, and newer ones still do.
    String known =
        schema.database().isMariaDb()
            ? settings.replace("transaction_read_only", "tx_read_only")
            : settings;
    return schema.pool(
        pool -> {
          pool.setMaximumPoolSize(1);
          pool.setAutoCommit(autocommit);
          pool.setConnectionInitSql("SET SESSION " + known);
        });
  }

  /** Adds and asks, beside an instance with the usual settings. */
  private static void useEverything(HikariDataSource pool) {
    String run = ++runs + " ";
    try (SlotBloom bloom = SlotBloom.on(pool)) {
      for (Use use : Use.values()) {
        BloomFilter<String> beside = BESIDE.get(use);
        long before = bloom.info(beside.name()).keysAdded();
        BloomFilter<String> filter = use.open(bloom, beside.name());
        assertThat(filter.add(run)).isTrue();
        assertThat(filter.add(run)).isFalse();
        assertThat(filter.addEach(keys(run + "many"))).containsOnly(true);
        assertThat(beside.mightContainEach(keys(run + "many"))).containsOnly(true);
        assertThat(beside.addEach(keys(run + "beside"))).containsOnly(true);
        assertThat(filter.mightContainEach(keys(run + "beside"))).containsOnly(true);
        assertThat(filter.mightContain(run + "none")).isFalse();
        bloom.admin(filter.name()).fold();
        assertThat(filter.mightContainEach(keys(run + "many"))).containsOnly(true);
        FilterInfo info = bloom.info(filter.name());
        assertThat(info.backlog()).isZero();
        assertThat(info.keysAdded()).isEqualTo(before + 601);
        // One of both may just be telling how it is used.
        await()
            .untilAsserted(
                () -> assertThat(bloom.info(filter.name())).isEqualTo(bloom.info(beside.name())));
        assertThat(bloom.names()).contains(beside.name());
      }
    }
  }

  /** So many that their hashes hold every byte that needs care in SQL. */
  private static List<String> keys(String prefix) {
    return IntStream.range(0, 300).mapToObj(i -> prefix + i).toList();
  }

  private static String enginesOf(TestSchema made) throws SQLException {
    try (Connection connection = made.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT GROUP_CONCAT(DISTINCT ENGINE) FROM information_schema.tables"
                    + " WHERE TABLE_SCHEMA = DATABASE()")) {
      row.next();
      return row.getString(1);
    }
  }

  private static List<String> settingsOf(HikariDataSource pool) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      return SessionSettings.of(connection);
    }
  }
}
