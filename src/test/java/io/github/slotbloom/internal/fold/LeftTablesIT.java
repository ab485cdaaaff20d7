package io.github.slotbloom.internal.fold;

import static io.github.slotbloom.testing.FilterNames.newName;
import static io.github.slotbloom.testing.Keys.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.Backup;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.BehindNetwork;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.ClockedConnections;
import io.github.slotbloom.testing.Crowd;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.ExpectedLog;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.LockWaits;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.SetClock;
import io.github.slotbloom.testing.ShortLease;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.Sweeper;
import io.github.slotbloom.testing.TestAccount;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Trap;
import io.github.slotbloom.testing.Use;
import io.github.slotbloom.testing.WordsEngine;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables that no generation uses are dropped, when nobody can need them. */
@DatabaseContract(shortLeases = true)
@Timeout(180)
class LeftTablesIT {

  private static final Use USE = Use.MIRRORED;

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom here;
  @Fixture private static Sql sql;

  private static ClockedConnections clock;

  @BeforeDatabase
  static void makeClock() {
    clock = new ClockedConnections(schema.pool(), Instant.now());
  }

  /** Clears a filter as a process does that may drop no table, and dies as it has cleared it. */
  private static void leaveTable(String name) throws SQLException {
    TestAccount account = schema.createAccount("SELECT, INSERT, UPDATE, DELETE, CREATE");
    HikariDataSource pool = schema.pool(account, settings -> settings.setMaximumPoolSize(2));
    try (pool;
        SlotBloom weak = SlotBloom.on(pool)) {
      weak.admin(name).clear();
    }
    sql.run(
        "UPDATE bloom_table SET left_at = NULL WHERE filter_id = ? AND generation < (SELECT"
            + " MAX(generation) FROM bloom_generation_status WHERE name = ?)",
        here.info(name).id(),
        name);
  }

  private static String reserveAndLeaveTable() throws SQLException {
    String name = newName();
    try (BloomFilter<String> filter = USE.reserve(here, name)) {
      filter.addEach(keys("a", 10));
    }
    leaveTable(name);
    assertThat(schema.slotTables(name)).containsExactly(sql.slots(name, 1), sql.slots(name, 2));
    return name;
  }

  private static String unused(String name) throws SQLException {
    return String.join(
        "; ",
        sql.texts(
            "SELECT CONCAT(generation, ' ', description) FROM bloom_unused_table WHERE name = ?"
                + " ORDER BY generation",
            name));
  }

  private static boolean isThere(String name, int generation) throws SQLException {
    return schema.slotTables(name).contains(sql.slots(name, generation));
  }

  @Test
  void aTableIsDroppedALeaseAfterItWasNoted() throws SQLException {
    String name = reserveAndLeaveTable();
    // However long it had been left before that.
    clock.advance(Duration.ofDays(1));
    Sweeper sweeper = new Sweeper(clock.dataSource(), name);
    sweeper.sweep();
    assertThat(unused(name)).startsWith("1 ").endsWith("will be dropped soon");
    clock.advance(ShortLease.LEASE.minusMillis(1));
    sweeper.sweep();
    assertThat(isThere(name, 1)).isTrue();
    clock.advance(Duration.ofMillis(1));
    sweeper.sweep();
    assertThat(isThere(name, 1)).isFalse();
    assertThat(isThere(name, 2)).isTrue();
    assertThat(unused(name)).isEqualTo("1 dropped");
    assertThat(USE.open(here, name).mightContainEach(keys("a", 10))).containsOnly(false);
  }

  /** A process that was frozen may send its CREATE TABLE at last. */
  @Test
  void aTableThatIsMadeAnewAfterItsDropIsDroppedOnceMoreAnHourLater() throws SQLException {
    String name = reserveAndLeaveTable();
    Sweeper sweeper = new Sweeper(clock.dataSource(), name);
    sweeper.sweep();
    clock.advance(ShortLease.LEASE);
    sweeper.sweep();
    assertThat(isThere(name, 1)).isFalse();
    sql.run("CREATE TABLE " + sql.slots(name, 1) + " LIKE " + sql.slots(name, 2));
    clock.advance(Duration.ofMinutes(59));
    sweeper.sweep();
    assertThat(isThere(name, 1)).isTrue();
    assertThat(unused(name)).isEqualTo("1 dropped");
    clock.advance(Duration.ofMinutes(1));
    sweeper.sweep();
    assertThat(isThere(name, 1)).isFalse();
    assertThat(unused(name)).isEmpty();
    sweeper.sweep();
    // Nobody uses its number again.
    here.admin(name).grow(9000);
    assertThat(schema.slotTables(name)).containsExactly(sql.slots(name, 2), sql.slots(name, 3));
  }

  @Test
  void aClockThatWasAheadWhenATableWasNotedDoesNotKeepIt() throws SQLException {
    String name = reserveAndLeaveTable();
    Sweeper sweeper = new Sweeper(clock.dataSource(), name);
    clock.advance(Duration.ofDays(400));
    sweeper.sweep();
    clock.advance(Duration.ofDays(-400));
    sweeper.sweep();
    assertThat(isThere(name, 1)).isFalse();
  }

  @Test
  void aTableThatIsMadeAheadIsNotDropped() throws SQLException {
    String name = newName();
    BloomFilter<String> filter = here.reserve(name, USE.spec(KeyType.text(), 100));
    filter.addEach(keys("a", 90));
    await().until(() -> unused(name).equals("2 created ahead, holds no keys"));
    leaveTable(name);
    filter.addEach(keys("b", 90));
    await().until(() -> unused(name).contains("3 created ahead, holds no keys"));
    // Another process has announced the one after that, and died.
    sql.run("INSERT INTO bloom_table (filter_id, generation) VALUES (?, 4)", here.info(name).id());
    Sweeper sweeper = new Sweeper(clock.dataSource(), name);
    for (int day = 0; day < 3; day++) {
      sweeper.sweep();
      clock.advance(Duration.ofDays(1));
    }
    assertThat(unused(name))
        .isEqualTo("3 created ahead, holds no keys; 4 being created, holds no keys");
    assertThat(schema.slotTables(name)).containsExactly(sql.slots(name, 2), sql.slots(name, 3));
    filter.addEach(keys("c", 90));
    assertThat(filter.mightContainEach(keys("b", 90))).containsOnly(true);
    assertThat(filter.mightContainEach(keys("c", 90))).containsOnly(true);
  }

  /** Who folds may have seen the filter as it was before. */
  @Test
  void aSweepWaitsForAFold() throws Exception {
    String name = reserveAndLeaveTable();
    Sweeper sweeper = new Sweeper(clock.dataSource(), name);
    sweeper.sweep();
    // The other session keeps its time.
    clock.setForLater(clock.now().plus(ShortLease.LEASE));
    CompletableFuture<Void> sweeping;
    try (Connection folding =
        ByHand.holdingFoldLockOf(here.info(name).id(), schema.dataSource().getConnection())) {
      sweeping = CompletableFuture.runAsync(sweeper::sweep);
      LockWaits.awaitOne("%bloom_fold%", sql);
      assertThat(isThere(name, 1)).isTrue();
      folding.rollback();
    }
    sweeping.get(60, TimeUnit.SECONDS);
    assertThat(isThere(name, 1)).isFalse();
  }

  @Test
  void manyMaySweepAtOnce() throws Exception {
    String name = reserveAndLeaveTable();
    Sweeper.sweep(clock.dataSource(), name);
    clock.advance(ShortLease.LEASE);
    Crowd sweeping = Crowd.of(4, number -> Sweeper.sweep(clock.dataSource(), name));
    sweeping.join(Duration.ofSeconds(60));
    assertThat(unused(name)).isEqualTo("1 dropped");
    clock.advance(Duration.ofHours(1));
    sweeping = Crowd.of(4, number -> Sweeper.sweep(clock.dataSource(), name));
    sweeping.join(Duration.ofSeconds(60));
    assertThat(unused(name)).isEmpty();
  }

  /** The server that took over knows nothing of what left the table. */
  @ParameterizedTest
  @ValueSource(strings = {"from .bloom_fold.*for update", "drop table.*_v1"})
  @PossibleLog(KnownLogs.MIRROR_RELOADED)
  void aTableThatAFailoverBroughtBackIsNotDropped(String lastStatement) throws Exception {
    String name = newName();
    BloomFilter<String> filter = USE.reserve(here, name);
    filter.addEach(keys("a", 10));
    here.admin(name).fold();
    Backup replica = Backup.of(schema.dataSource(), name);
    leaveTable(name);
    sql.run("UPDATE bloom_table SET left_at = UTC_TIMESTAMP(3) - INTERVAL 1 DAY");
    try (BehindNetwork late = new BehindNetwork(schema)) {
      Sweeper sweeper = new Sweeper(late.pool(), name);
      Trap last = late.network().trap(Trap.Place.BEFORE_SERVER, lastStatement);
      CompletableFuture<Void> sweeping = CompletableFuture.runAsync(sweeper::sweep);
      last.caught().get(60, TimeUnit.SECONDS);
      replica.restore(schema.dataSource());
      last.cut();
      sweeping.get(60, TimeUnit.SECONDS);
    }
    assertThat(isThere(name, 1)).isTrue();
    assertThat(
            sql.rows(
                "SELECT made, left_at FROM bloom_table WHERE filter_id = ? AND generation = 1",
                here.info(name).id()))
        .as("its row says nothing of a drop")
        .containsExactly(List.of("1", "null"));
    assertThat(filter.mightContainEach(keys("a", 10))).containsOnly(true);
    assertThat(Use.DIRECT.open(here, name).mightContainEach(keys("a", 10))).containsOnly(true);
  }

  @Test
  void aRenamedFilterDropsItsTablesWhichKeepTheirNames() throws SQLException {
    String name = reserveAndLeaveTable();
    String newName = newName();
    here.admin(name).rename(newName);
    Sweeper sweeper = new Sweeper(clock.dataSource(), newName);
    sweeper.sweep();
    clock.advance(ShortLease.LEASE);
    sweeper.sweep();
    assertThat(schema.slotTables(name)).containsExactly(sql.slots(newName, 2));
  }

  /** Of three times that it is tried. */
  @Test
  @ExpectedLog(
      value =
          "WARN Trimmer - filter words has tables that it no longer uses, and this account cannot"
              + " drop them: .*DROP.*",
      times = 1)
  void anAccountThatMayNotDropTablesIsToldOnceAndGoesOn() throws Exception {
    here.reserve("words", USE.spec(KeyType.text())).close();
    leaveTable("words");
    sql.run("UPDATE bloom_table SET left_at = UTC_TIMESTAMP(3) - INTERVAL 1 MINUTE");
    TestAccount account = schema.createAccount("SELECT, INSERT, UPDATE, DELETE");
    HikariDataSource pool = schema.pool(account, settings -> settings.setMaximumPoolSize(3));
    SetClock time = new SetClock();
    try (WordsEngine words = new WordsEngine(pool, time)) {
      for (long round = 1; round <= 3; round++) {
        long newest = round;
        assertThat(words.engine.writes().add(round * 0x9E3779B97F4A7C15L)).isTrue();
        here.admin("words").fold();
        sql.run("UPDATE bloom_journal SET created_at = created_at - INTERVAL 1 DAY");
        // What it trims shows that it took its turn.
        time.advance(Duration.ofSeconds(61));
        await()
            .until(
                () ->
                    sql.number(
                            "SELECT COUNT(*) FROM bloom_journal j JOIN bloom_filter f"
                                + " ON f.id = j.filter_id WHERE f.name = 'words' AND seq > 0")
                        == 1);
        assertThat(here.info("words").keysAdded()).isEqualTo(newest);
      }
    }
    assertThat(isThere("words", 1)).isTrue();
    assertThat(unused("words")).startsWith("1 ").endsWith("will be dropped soon");

    // Another one that may, drops it with its tick.
    SetClock others = new SetClock();
    try (WordsEngine words = new WordsEngine(schema.dataSource(), others)) {
      others.advance(Duration.ofSeconds(61));
      assertThat(words.engine.writes().add(1)).isTrue();
      await().until(() -> !isThere("words", 1));
    }
    await().until(() -> unused("words").equals("1 dropped"));
  }
}
