package io.github.slotbloom.internal.add;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.Freshness;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.error.FilterFullException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.reliability.FilterState;
import io.github.slotbloom.testing.Backup;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.ClockedConnections;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Heartbeats;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.ShortLease;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.Sweeper;
import io.github.slotbloom.testing.TestAccount;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens at the edges between the buckets of a window, to those who are unlucky there. */
@DatabaseContract(migrated = true, shortLeases = true)
@Timeout(300)
class WindowEdgesIT {

  private static final Use USE = Use.MIRRORED;

  private static final Duration DAY = Duration.ofDays(1);
  private static final int BUCKETS = 3;
  private static final Instant NOON = Instant.parse("2026-03-02T12:00:00Z");
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @Fixture private static TestSchema schema;
  @Fixture private static Sql sql;

  private static ClockedConnections clock;
  private List<Heartbeats> heartbeats = List.of();
  private SlotBloom here;
  private SlotBloom there;

  @BeforeDatabase
  static void makeClock() {
    clock = new ClockedConnections(schema.pool(settings -> settings.setMaximumPoolSize(16)), NOON);
  }

  @BeforeEach
  void open() {
    clock.set(NOON);
    heartbeats = List.of(new Heartbeats(clock.dataSource()), new Heartbeats(clock.dataSource()));
    here = SlotBloom.builder(heartbeats.get(0).dataSource()).build();
    there = SlotBloom.builder(heartbeats.get(1).dataSource()).build();
    for (SlotBloom bloom : List.of(here, there)) {
      // Each has heartbeats as often as its most impatient filter needs.
      bloom.openOrReserve(
          "pace",
          FilterSpec.builder(KeyType.text()).capacity(10).build(),
          FilterOptions.defaults().freshness(Freshness.bounded(Duration.ofMillis(40))));
    }
  }

  /** Moves the clock, and waits until both processes know. */
  private void advance(Duration by) {
    List<Long> before = heartbeats.stream().map(Heartbeats::begun).toList();
    clock.advance(by);
    for (int i = 0; i < before.size(); i++) {
      heartbeats.get(i).awaitKnownSince(before.get(i));
    }
  }

  @AfterEach
  void close() {
    here.close();
    there.close();
  }

  private static FilterSpec.Builder<String> days() {
    return FilterSpec.builder(KeyType.text())
        .capacity(3_000)
        .falsePositiveRate(1e-6)
        .window(DAY.multipliedBy(BUCKETS), BUCKETS);
  }

  private BloomFilter<String> reserve(Use use, String name) {
    return here.reserve(name + use.filterName(), days().build(), use.options());
  }

  private static void awaitReady(BloomFilter<String> filter) {
    await().atMost(PATIENCE).until(() -> isReady(filter));
  }

  /** Returns true if the table of the next bucket is there. */
  private static boolean isReady(BloomFilter<String> filter) throws SQLException {
    return sql.number(
            "SELECT COUNT(*) FROM bloom_unused_table WHERE name = ? AND description LIKE '%created"
                + " ahead%'",
            filter.name())
        == 1;
  }

  private static long rotations(BloomFilter<String> filter) throws SQLException {
    return sql.number(
        "SELECT COUNT(*) FROM bloom_journal j JOIN bloom_filter f ON f.id = j.filter_id"
            + " WHERE f.name = ? AND j.kind = 'MANIFEST'",
        filter.name());
  }

  /** A transaction of its own connection, which the pool knows nothing of. */
  private static Connection transaction(int isolation) throws SQLException {
    Connection connection = ByHand.transaction(schema.dataSource().getConnection(), isolation);
    clock.moveClock(connection);
    return connection;
  }

  private static boolean addWithin(BloomFilter<String> filter, String key) throws SQLException {
    try (Connection connection = transaction(Connection.TRANSACTION_READ_COMMITTED)) {
      boolean fresh = filter.within(connection).add(key);
      connection.commit();
      return fresh;
    }
  }

  private static void assertSound(BloomFilter<String> filter) throws SQLException {
    FilterState.read(schema.dataSource(), filter.name()).verify();
  }

  /** An account that may not make tables, and what it was told. */
  private static final class Poor implements AutoCloseable {
    final Queue<String> told = new ConcurrentLinkedQueue<>();
    private final HikariDataSource pool;
    private final ClockedConnections clocked;
    private final Heartbeats heartbeats;
    final SlotBloom bloom;

    Poor() throws SQLException {
      TestAccount account = schema.createAccount("SELECT, INSERT, UPDATE, DELETE");
      pool = schema.pool(account, settings -> settings.setMaximumPoolSize(4));
      clocked = new ClockedConnections(pool, clock.now());
      heartbeats = new Heartbeats(clocked.dataSource());
      bloom =
          SlotBloom.builder(heartbeats.dataSource())
              .listener(
                  event -> {
                    if (event instanceof SlotBloomEvent.RotationFailed failed) {
                      told.add(failed.reason());
                    }
                  })
              .build();
    }

    void advance(Duration by) {
      clock.advance(by);
      clocked.set(clock.now());
      heartbeats.awaitKnown();
    }

    @Override
    public void close() {
      bloom.close();
      pool.close();
    }
  }

  @Test
  @PossibleLog(KnownLogs.ROTATION_FAILED)
  void theNewestBucketGoesOnWhereNoTableCanBeMade() throws Exception {
    reserve(USE, "poor_").close();
    try (Poor poor = new Poor();
        BloomFilter<String> filter = USE.open(poor.bloom, "poor_" + USE.filterName())) {
      assertThat(filter.add("a")).isTrue();
      await().atMost(PATIENCE).until(() -> !poor.told.isEmpty());
      assertThat(poor.told).allMatch(reason -> reason.contains("needs CREATE"));
      poor.advance(DAY);
      assertThat(filter.addEach(List.of("b", "a"))).containsExactly(true, false);
      assertThat(here.info(filter.name()).generations()).hasSize(1);
      poor.advance(DAY);
      assertThat(addWithin(filter, "c")).isTrue();
      assertThat(addWithin(filter, "b")).isFalse();
      assertThat(here.info(filter.name()).generations()).hasSize(1);
      // These are all in the last bucket now.
      poor.advance(DAY.multipliedBy(BUCKETS));
      assertThat(filter.mightContainEach(List.of("a", "b", "c"))).containsOnly(true);
      assertThat(filter.addEach(List.of("a", "b", "c"))).containsOnly(false);
      assertThat(filter.add("d")).isTrue();
      BloomFilter<String> theirs = USE.open(there, filter.name());
      assertThat(theirs.mightContainEach(List.of("a", "b", "c", "d"))).containsOnly(true);
      assertThat(theirs.addEach(List.of("a", "b", "c", "d"))).containsOnly(false);
      assertThat(here.info(filter.name()).keysAdded()).isEqualTo(4);
      assertSound(filter);
    }
  }

  @Test
  @PossibleLog(KnownLogs.ROTATION_FAILED)
  void addsAreRefusedWhereAllKeysExpiredAndNoTableCanBeMade() throws Exception {
    reserve(USE, "refused_").close();
    try (Poor poor = new Poor();
        BloomFilter<String> filter = USE.open(poor.bloom, "refused_" + USE.filterName())) {
      assertThat(filter.add("a")).isTrue();
      poor.advance(DAY.multipliedBy(BUCKETS + 1));
      for (int i = 0; i < 2; i++) {
        assertThat(filter.mightContain("a")).isFalse();
        assertThatThrownBy(() -> filter.add("a"))
            .isInstanceOf(SchemaException.class)
            .hasMessageContainingAll(filter.name(), "Could not create the table", "and add again");
        // The table may still be made, but not while this transaction holds the lock.
        assertThatThrownBy(() -> addWithin(filter, "b"))
            .isInstanceOf(WriteFailedException.class)
            .hasMessageContainingAll(
                filter.name(), "Roll back the transaction and repeat all of it");
      }
      BloomFilter<String> rich = USE.open(there, filter.name());
      assertThat(rich.mightContain("a")).isFalse();
      assertThat(rich.add("a")).isTrue();
      assertThat(filter.add("a")).isFalse();
      assertThat(filter.add("b")).isTrue();
      assertThat(here.info(filter.name()).keysAdded()).isEqualTo(2);
    }
  }

  /** A process whose only connection is in use, so that it hears of nothing. */
  private static final class Sleeping implements AutoCloseable {
    private final HikariDataSource pool;
    private final ClockedConnections clocked;
    final Heartbeats heartbeats;
    final SlotBloom bloom;
    private Connection taken;

    Sleeping() {
      pool =
          schema.pool(
              settings -> {
                settings.setMaximumPoolSize(1);
                settings.setConnectionTimeout(60_000);
              });
      clocked = new ClockedConnections(pool, clock.now());
      heartbeats = new Heartbeats(clocked.dataSource());
      bloom = SlotBloom.builder(heartbeats.dataSource()).build();
    }

    void sleep() throws SQLException {
      taken = pool.getConnection();
    }

    void wake() throws SQLException {
      clocked.setForLater(clock.now());
      taken.close();
    }

    @Override
    public void close() {
      bloom.close();
      pool.close();
    }
  }

  /** Lets days pass until the first ones are gone with their tables. */
  private void passDays(BloomFilter<String> filter, int days) throws SQLException {
    for (int day = 1; day <= days; day++) {
      advance(DAY);
      assertThat(filter.addEach(List.of("day " + day, "too " + day))).containsOnly(true);
    }
    Sweeper.sweep(clock.dataSource(), filter.name());
    advance(ShortLease.LEASE);
    Sweeper.sweep(clock.dataSource(), filter.name());
    assertThat(schema.slotTables(filter.name()))
        .isNotEmpty()
        .doesNotContain(sql.slots(filter.name(), 1));
  }

  @Test
  @PossibleLog(KnownLogs.MIRROR_RELOADED)
  void aProcessThatSleptOverSeveralBucketsFindsWhatIsLeft() throws Exception {
    BloomFilter<String> mine = reserve(USE, "slept_");
    assertThat(mine.add("a")).isTrue();
    try (Sleeping process = new Sleeping()) {
      BloomFilter<String> adds = USE.open(process.bloom, mine.name());
      BloomFilter<String> asks = USE.open(process.bloom, mine.name());
      assertThat(adds.add("b")).isTrue();
      assertThat(asks.mightContain("b")).isTrue();
      process.sleep();
      passDays(mine, 8);
      process.wake();
      process.heartbeats.awaitKnown();
      assertThat(asks.mightContainEach(List.of("a", "b", "day 4", "day 5", "day 8")))
          .containsExactly(false, false, false, true, true);
      assertThat(adds.addEach(List.of("a", "day 5", "day 8"))).containsExactly(true, false, false);
      assertThat(mine.add("a")).isFalse();
      assertThat(asks.mightContain("a")).isTrue();
      assertSound(mine);
    }
  }

  @Test
  @PossibleLog(KnownLogs.MIRROR_RELOADED)
  void aTransactionOfAProcessThatSleptIsRepeatedAtMost() throws Exception {
    BloomFilter<String> mine = reserve(USE, "slept_within_");
    assertThat(mine.add("a")).isTrue();
    try (Sleeping process = new Sleeping()) {
      BloomFilter<String> joins = USE.open(process.bloom, mine.name());
      process.sleep();
      passDays(mine, 8);
      advance(DAY);
      process.wake();
      await()
          .atMost(PATIENCE)
          .until(
              () -> {
                try {
                  return addWithin(joins, "a");
                } catch (WriteFailedException e) {
                  assertThat(e)
                      .hasMessageContaining("Roll back the transaction and repeat all of it");
                  return false;
                }
              });
      assertThat(mine.add("a")).isFalse();
      assertThat(addWithin(joins, "day 6")).isFalse();
      assertThat(addWithin(joins, "day 4")).isTrue();
      assertSound(mine);
    }
  }

  @Test
  @PossibleLog(KnownLogs.MIRROR_RELOADED)
  @PossibleLog(KnownLogs.FOLDING_FAILED)
  void aBackupOfBeforeABucketTakesItBackAndItBeginsAgain() throws Exception {
    BloomFilter<String> mine = reserve(USE, "backup_");
    BloomFilter<String> theirs = USE.open(there, mine.name());
    assertThat(mine.addEach(List.of("a", "b"))).containsOnly(true);
    here.admin(mine.name()).fold();
    awaitReady(mine);
    Backup backup = Backup.of(schema.dataSource(), mine.name());
    advance(DAY);
    assertThat(mine.add("lost")).isTrue();
    here.admin(mine.name()).fold();
    assertThat(theirs.add("lost too")).isTrue();
    awaitReady(mine);
    backup.restore(schema.dataSource());
    for (BloomFilter<String> filter : List.of(mine, theirs)) {
      assertThat(filter.mightContain("never added")).isFalse();
      assertThat(filter.mightContainEach(List.of("a", "b", "lost", "lost too")))
          .containsExactly(true, true, false, false);
    }
    assertThat(theirs.addEach(List.of("lost", "a"))).containsExactly(true, false);
    assertThat(mine.add("lost")).isFalse();
    assertThat(rotations(mine)).isEqualTo(1);
    assertThat(here.info(mine.name()).keysAdded()).isEqualTo(3);
    advance(DAY.multipliedBy(BUCKETS));
    assertThat(theirs.mightContainEach(List.of("a", "lost"))).containsExactly(false, true);
    assertThat(theirs.addEach(List.of("a", "lost"))).containsExactly(true, false);
    assertSound(mine);
  }

  @Test
  @PossibleLog(KnownLogs.FOLDING_FAILED)
  void aWindowThatIsRenamedGoesOnAndOneThatExpiresIsGoneAsAWhole() throws Exception {
    BloomFilter<String> before = reserve(USE, "old_");
    assertThat(before.add("a")).isTrue();
    awaitReady(before);
    String name = "new_" + USE.filterName();
    here.admin(before.name()).rename(name);
    assertThatThrownBy(() -> before.add("b")).isInstanceOf(FilterNotFoundException.class);
    BloomFilter<String> after = USE.open(here, name);
    for (int day = 1; day <= BUCKETS; day++) {
      advance(DAY);
      assertThat(after.addEach(List.of("a", "day " + day))).containsExactly(false, true);
    }
    advance(DAY);
    assertThat(after.add("today")).isTrue();
    assertThat(after.addEach(List.of("a", "day 1"))).containsExactly(true, false);
    assertSound(after);
    advance(Duration.ofMinutes(1));
    here.admin(name).expireAt(clock.now().plus(DAY.multipliedBy(2)));
    advance(DAY);
    assertThat(after.addEach(List.of("a", "tomorrow"))).containsExactly(false, true);
    advance(DAY);
    assertThatThrownBy(() -> after.add("late")).isInstanceOf(FilterNotFoundException.class);
  }

  @Test
  @PossibleLog(KnownLogs.CAPACITY_REACHED)
  void aBucketRefusesMoreThanItsShare() {
    BloomFilter<String> filter =
        here.reserve(
            "share_" + USE.filterName(),
            days().capacity(30).onFull(OnFull.REFUSE).build(),
            USE.options());
    for (int day = 0; day < BUCKETS + 2; day++) {
      int today = day;
      List<String> keys = IntStream.range(0, 10).mapToObj(i -> today + "." + i).toList();
      assertThat(filter.addEach(keys)).containsOnly(true);
      assertThatThrownBy(() -> filter.add("too many")).isInstanceOf(FilterFullException.class);
      assertThat(filter.addEach(keys)).containsOnly(false);
      assertThat(here.info(filter.name()).keysAdded())
          .isEqualTo(10L * Math.min(day + 1, BUCKETS + 1));
      advance(DAY);
    }
    assertThat(filter.add("one more")).isTrue();
  }

  @Test
  @PossibleLog(KnownLogs.CAPACITY_REACHED)
  void keysThatAreRenewedTakeTheRoomOfABucket() {
    BloomFilter<String> filter =
        here.reserve(
            "share_renewed_" + USE.filterName(),
            days().capacity(30).renew().onFull(OnFull.REFUSE).build(),
            USE.options());
    List<String> keys = IntStream.range(0, 10).mapToObj(Integer::toString).toList();
    assertThat(filter.addEach(keys)).containsOnly(true);
    for (int day = 0; day < BUCKETS + 2; day++) {
      advance(DAY);
      assertThat(filter.addEach(keys)).containsOnly(false);
      assertThat(filter.addEach(keys)).containsOnly(false);
      assertThatThrownBy(() -> filter.add("too many")).isInstanceOf(FilterFullException.class);
    }
    advance(DAY);
    assertThat(filter.addEach(keys.subList(0, 6))).containsOnly(false);
    List<String> more = List.of("b", "c", "d", "e");
    assertThat(filter.addEach(more)).containsOnly(true);
    assertThatThrownBy(() -> filter.add(keys.get(9)))
        .as("it cannot be renewed")
        .isInstanceOf(FilterFullException.class);
    assertThat(filter.mightContainEach(keys)).containsOnly(true);
    advance(DAY.multipliedBy(BUCKETS));
    assertThat(filter.addEach(more)).containsOnly(false);
    await().atMost(PATIENCE).until(() -> !filter.mightContain(keys.get(9)));
    assertThat(filter.mightContainEach(keys.subList(0, 6))).containsOnly(true);
  }

  @Test
  @PossibleLog(KnownLogs.CAPACITY_REACHED)
  void aWindowThatDegradesTakesMoreAndDoesNotGrow() {
    BloomFilter<String> filter =
        here.reserve(
            "degrades_" + USE.filterName(),
            days().capacity(300).renew().onFull(OnFull.DEGRADE).build(),
            USE.options());
    for (int day = 0; day < BUCKETS + 2; day++) {
      int today = day;
      List<String> keys = IntStream.range(0, 150).mapToObj(i -> today + "." + i).toList();
      filter.addEach(keys);
      assertThat(filter.addEach(keys)).containsOnly(false);
      assertThat(here.info(filter.name()).generations()).hasSizeLessThanOrEqualTo(BUCKETS + 1);
      advance(DAY);
    }
    assertThat(here.info(filter.name()).generations()).allMatch(each -> each.capacity() == 100);
  }

  @Test
  void aClockThatLeapsFarAheadExpiresNothingOfAShortWindow() {
    Instant present = Instant.now();
    clock.set(present);
    BloomFilter<String> filter =
        here.reserve(
            "short_" + USE.filterName(),
            days().window(Duration.ofMinutes(9), 3).build(),
            USE.options());
    assertThat(filter.add("a")).isTrue();
    advance(DAY);
    assertThat(filter.mightContain("a")).isTrue();
    advance(DAY.negated());
    assertThat(filter.mightContain("a")).isTrue();
    assertThat(filter.add("a")).isFalse();
  }
}
