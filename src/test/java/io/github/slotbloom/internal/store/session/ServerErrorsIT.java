package io.github.slotbloom.internal.store.session;

import static io.github.slotbloom.testing.Keys.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.error.WriteFailedException.Outcome;
import io.github.slotbloom.testing.AfterDatabase;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.KillableServer;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.LockWaits;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestAccount;
import io.github.slotbloom.testing.TestDatabase;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Trap;
import io.github.slotbloom.testing.Use;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Errors that a server gives, provoked on a server of the test's own, with a pool of one. */
@DatabaseContract
@Timeout(600)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
@Tag("mysql")
class ServerErrorsIT {

  private static final Use USE = Use.MIRRORED;

  private static final AtomicInteger NAMES = new AtomicInteger();

  private static KillableServer server;
  private static TestSchema schema;
  private static Sql sql;
  private static SlotBloom there;
  private static HikariDataSource pool;
  private static SlotBloom here;

  @BeforeDatabase
  static void start(TestDatabase database) throws Exception {
    server = KillableServer.like(database);
    schema = server.database().createSchema();
    sql = new Sql(schema.dataSource());
    there = SlotBloom.on(schema.dataSource());
    there.migrate();
    TestAccount account =
        schema.createAccount("SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, ALTER, INDEX");
    pool =
        schema.pool(
            account,
            settings -> {
              settings.setMaximumPoolSize(1);
              settings.setConnectionTimeout(1000);
              settings.setLeakDetectionThreshold(TimeUnit.MINUTES.toMillis(1));
            });
    here = SlotBloom.on(pool);
  }

  @AfterDatabase
  static void stop() throws Exception {
    here.close();
    there.close();
    schema.close();
    server.close();
  }

  @AfterEach
  void everyConnectionIsIdleInTheEnd() {
    server.network().heal();
    await().until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 0);
  }

  private static BloomFilter<String> reserve(Use use) {
    return reserve(use, use.options());
  }

  private static BloomFilter<String> reserve(Use use, FilterOptions options) {
    String name = "f" + NAMES.incrementAndGet();
    there.reserve(name, use.spec(KeyType.text())).close();
    return here.open(name, KeyType.text(), options);
  }

  private static void assertEntries(BloomFilter<?> filter, int entries) throws SQLException {
    assertThat(
            sql.rows(
                    "SELECT SUM(seq > 0), MAX(seq), MAX(s.last_seq), MAX(s.keys_added)"
                        + " FROM bloom_journal j JOIN bloom_filter_status s"
                        + " ON s.filter_id = j.filter_id WHERE name = ?",
                    filter.name())
                .get(0))
        .containsOnly("" + entries);
  }

  private static boolean[] askThere(BloomFilter<?> filter, String... keys) {
    try (BloomFilter<String> other = there.open(filter.name(), KeyType.text())) {
      return other.mightContainEach(List.of(keys));
    }
  }

  private static CompletableFuture<Boolean> addInBackground(
      BloomFilter<String> filter, String key) {
    return CompletableFuture.supplyAsync(() -> filter.add(key));
  }

  /** What our session of the server is at; with one connection there is one. */
  private static String session() throws SQLException {
    return sql.text(
        "SELECT id FROM information_schema.processlist WHERE user LIKE 't\\_%'"
            + " AND db = DATABASE()");
  }

  @Test
  void aSessionKilledInTheMiddleOfAStatementIsReplaced() throws Exception {
    BloomFilter<String> filter = reserve(USE);
    for (String kill : List.of("KILL ", "KILL QUERY ")) {
      try (Connection lock =
          ByHand.holdingLockOf(filter.name(), schema.dataSource().getConnection())) {
        CompletableFuture<Boolean> add = addInBackground(filter, kill);
        LockWaits.awaitOneForAFilter(sql);
        sql.run(kill + session());
        lock.rollback();
        assertThat(add.get(60, TimeUnit.SECONDS)).isTrue();
      }
    }
    assertEntries(filter, 2);
    assertThat(askThere(filter, "KILL ", "KILL QUERY ")).containsOnly(true);
  }

  @Test
  void aCallWaitsAgainAfterALockWaitTimeout() throws Exception {
    BloomFilter<String> filter = reserve(Use.MIRRORED);
    CompletableFuture<Boolean> add;
    try (Connection lock =
        ByHand.holdingLockOf(filter.name(), schema.dataSource().getConnection())) {
      Trap again =
          server.network().trap(Trap.Place.BEFORE_SERVER, "from `bloom_filter`.*for update", 1);
      add = addInBackground(filter, "x");
      // The first wait ends with error 1205.
      again.caught().get(60, TimeUnit.SECONDS);
      again.release();
      LockWaits.awaitOneForAFilter(sql);
      lock.rollback();
    }
    assertThat(add.get(60, TimeUnit.SECONDS)).isTrue();
    assertEntries(filter, 1);
  }

  @Test
  void aDeadlockVictimIsRepeated() throws Exception {
    BloomFilter<String> filter = reserve(USE);
    assertThat(filter.add("before")).isTrue();
    here.admin(filter.name()).fold();
    long id = here.info(filter.name()).id();
    long deadlocks = deadlocks();
    try (Connection other = schema.dataSource().getConnection()) {
      other.setAutoCommit(false);
      // Has changed more, so the server chooses the other one.
      String table = sql.slots(filter.name(), 1);
      Sql.run(other, "UPDATE " + table + " SET bits = ~bits");
      // And the gap where the next entry goes.
      Sql.run(
          other, "SELECT seq FROM bloom_journal WHERE filter_id = ? AND seq > 1 FOR UPDATE", id);
      Trap entry = server.network().trap(Trap.Place.BEFORE_SERVER, "insert.* into `bloom_journal`");
      CompletableFuture<Boolean> add = addInBackground(filter, "x");
      entry.caught().get(60, TimeUnit.SECONDS);
      entry.release();
      LockWaits.awaitOne("%insert%into%bloom_journal%", sql);
      Sql.run(other, "SELECT id FROM bloom_filter WHERE name = ? FOR UPDATE", filter.name());
      other.rollback();
      assertThat(add.get(60, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(deadlocks()).isGreaterThan(deadlocks);
    assertEntries(filter, 2);
    assertThat(askThere(filter, "before", "x")).containsOnly(true);
  }

  private static long deadlocks() throws SQLException {
    return sql.number(
        "SELECT COUNT FROM information_schema.innodb_metrics WHERE name = 'lock_deadlocks'");
  }

  @Test
  void callsWaitForAServerThatIsReadOnlyForAWhile() throws Exception {
    BloomFilter<String> patient = reserve(USE);
    BloomFilter<String> hasty = USE.open(here, patient.name(), Duration.ofSeconds(1));
    assertThat(patient.add("before")).isTrue();
    sql.run("SET GLOBAL read_only = 1");
    try {
      WriteFailedException failure =
          catchThrowableOfType(WriteFailedException.class, () -> hasty.add("never"));
      // The outcome is unknown if its time ran out while an attempt was under way.
      assertThat(failure).hasMessageContainingAll(patient.name(), "read");
      CompletableFuture<Boolean> add = addInBackground(patient, "after");
      assertThat(patient.mightContain("before")).isTrue();
      assertThat(patient.mightContain("never")).isFalse();
      assertThat(add).isNotDone();
      sql.run("SET GLOBAL read_only = 0");
      assertThat(add.get(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      sql.run("SET GLOBAL read_only = 0");
    }
    assertEntries(patient, 2);
    assertThat(askThere(patient, "before", "never", "after")).containsExactly(true, false, true);
  }

  @Test
  void aCommitThatAReadOnlyServerRefusedIsRepeated() throws Exception {
    BloomFilter<String> filter = reserve(Use.MIRRORED);
    Trap append = server.network().trap(Trap.Place.BEFORE_CLIENT, "insert.* into `bloom_journal`");
    CompletableFuture<Boolean> add = addInBackground(filter, "x");
    append.caught().get(60, TimeUnit.SECONDS);
    CompletableFuture<Void> readOnly =
        CompletableFuture.runAsync(
            () -> {
              try {
                sql.run("SET GLOBAL read_only = 1");
              } catch (SQLException e) {
                throw new IllegalStateException(e);
              }
            });
    await()
        .until(
            () ->
                readOnly.isDone()
                    || sql.number(
                            "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE"
                                + " 'SET GLOBAL read_only%'")
                        > 0);
    append.release();
    readOnly.get(60, TimeUnit.SECONDS);
    sql.run("SET GLOBAL read_only = 0");
    assertThat(add.get(60, TimeUnit.SECONDS)).isTrue();
    assertThat(filter.add("x")).isFalse();
    assertEntries(filter, 1);
  }

  @Test
  void packetsOfOneMebibyteAreEnough() throws Exception {
    withPackets(
        1 << 20,
        filter -> {
          List<String> keys = keys("key ", 30_000);
          filter.addEach(keys);
          here.admin(filter.name()).fold();
          assertThat(filter.mightContainEach(keys)).containsOnly(true);
          assertThat(there.info(filter.name()).keysAdded()).isBetween(29_000L, 30_000L);
        });
  }

  @Test
  void anErrorNamesTheSettingIfPacketsAreTooSmall() throws Exception {
    withPackets(
        16 << 10,
        filter -> {
          WriteFailedException failure =
              catchThrowableOfType(
                  WriteFailedException.class, () -> filter.addEach(keys("key ", 30_000)));
          assertThat(failure.outcome()).isEqualTo(Outcome.NOT_RECORDED);
          assertThat(failure)
              .hasMessageContainingAll(
                  filter.name(), "max_allowed_packet", "None of these keys was recorded");
          assertThat(filter.add("x")).isTrue();
          assertThat(there.info(filter.name()).keysAdded()).isEqualTo(1);
        });
  }

  private interface WithFilter {
    void use(BloomFilter<String> filter) throws Exception;
  }

  private static void withPackets(int bytes, WithFilter work) throws Exception {
    long before = sql.number("SELECT @@GLOBAL.max_allowed_packet");
    String name = "f" + NAMES.incrementAndGet();
    there
        .reserve(
            name,
            FilterSpec.builder(KeyType.text()).capacity(100_000).falsePositiveRate(0.01).build())
        .close();
    sql.run("SET GLOBAL max_allowed_packet = " + bytes);
    try (HikariDataSource small = schema.pool(settings -> settings.setMaximumPoolSize(1));
        SlotBloom bloom = SlotBloom.on(small)) {
      work.use(bloom.open(name, KeyType.text()));
    } finally {
      sql.run("SET GLOBAL max_allowed_packet = " + before);
    }
  }

  @Test
  void callsWaitForAServerThatTakesNoMoreConnections() throws Exception {
    BloomFilter<String> patient = reserve(USE);
    BloomFilter<String> hasty = USE.open(here, patient.name(), Duration.ofSeconds(3));
    List<Connection> others = new ArrayList<>();
    long before = sql.number("SELECT @@GLOBAL.max_connections");
    try {
      Connection admin = schema.dataSource().getConnection();
      others.add(admin);
      Sql.run(admin, "SET GLOBAL max_connections = 10");
      Sql.run(admin, "KILL " + session());
      // The place of the killed one is free a moment later, and its pool may be the first to see
      // it.
      await()
          .until(
              () -> {
                takeAll(others);
                return allAreTaken(admin);
              });
      // The pool discards the killed one here: what an add sends on it has an unknown outcome.
      assertThatThrownBy(() -> hasty.mightContain("never"))
          .isInstanceOf(FilterUnavailableException.class)
          .hasMessageContaining("Too many connections");
      WriteFailedException failure =
          catchThrowableOfType(WriteFailedException.class, () -> hasty.add("never"));
      assertThat(failure.outcome()).isEqualTo(Outcome.NOT_RECORDED);
      assertThat(failure).hasMessageContaining("Too many connections");
      CompletableFuture<Boolean> add = addInBackground(patient, "after");
      assertThat(add).isNotDone();
      Sql.run(admin, "SET GLOBAL max_connections = " + before);
      assertThat(add.get(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      for (Connection other : others) {
        other.close();
      }
    }
    assertEntries(patient, 1);
    assertThat(askThere(patient, "never", "after")).containsExactly(false, true);
  }

  /** Whether the pool has none; if it has, it is taken away once more. */
  private static boolean allAreTaken(Connection admin) throws SQLException {
    try (Statement statement = admin.createStatement()) {
      List<String> pooled = new ArrayList<>();
      long ours = 0;
      try (ResultSet row =
          statement.executeQuery(
              "SELECT id, user LIKE 't\\_%' FROM information_schema.processlist"
                  + " WHERE command <> 'Daemon'")) {
        while (row.next()) {
          if (row.getBoolean(2)) {
            pooled.add(row.getString(1));
          } else {
            ours++;
          }
        }
      }
      for (String id : pooled) {
        try {
          statement.execute("KILL " + id);
        } catch (SQLException e) {
          // It has ended on its own.
          assertThat(e.getErrorCode()).isEqualTo(1094);
        }
      }
      try (ResultSet row = statement.executeQuery("SHOW STATUS LIKE 'Threads_connected'")) {
        row.next();
        return pooled.isEmpty() && row.getLong(2) == ours;
      }
    }
  }

  private static void takeAll(List<Connection> others) throws SQLException {
    SQLException refused = null;
    while (refused == null) {
      try {
        others.add(schema.dataSource().getConnection());
      } catch (SQLException e) {
        refused = e;
      }
    }
    assertThat(refused.getErrorCode()).isEqualTo(1040);
  }

  @Test
  void callsWaitForAServerThatIsRestarted() throws Exception {
    // A server may take minutes to start on a machine with much to do.
    BloomFilter<String> filter = reserve(USE, USE.options().timeout(Duration.ofMinutes(4)));
    assertThat(filter.add("before")).isTrue();
    server.kill();
    CompletableFuture<Boolean> add = addInBackground(filter, "meanwhile");
    server.start();
    assertThat(add.get(5, TimeUnit.MINUTES)).isTrue();
    assertThat(filter.addEach(List.of("before", "meanwhile", "after")))
        .containsExactly(false, false, true);
    assertEntries(filter, 3);
  }
}
