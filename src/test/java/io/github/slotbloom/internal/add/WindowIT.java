package io.github.slotbloom.internal.add;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.Offered;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.ClockException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.reliability.ForcedTrimming;
import io.github.slotbloom.report.VerifyReport;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.ClockedConnections;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Removing;
import io.github.slotbloom.testing.ShortLease;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.Sweeper;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Keys of a window are found for its length, and are new again a bucket later. They can be removed,
 * and what was removed is forgotten with its bucket.
 */
@DatabaseContract(migrated = true, shortLeases = true)
@Timeout(300)
@Tag("mysql")
class WindowIT {

  private static final Duration DAY = Duration.ofDays(1);
  private static final Instant NOON = Instant.parse("2026-03-02T12:00:00Z");

  @TempDir private Path folder;
  @Fixture private static TestSchema schema;
  @Fixture private static Sql sql;

  private static ClockedConnections clock;
  private SlotBloom here;
  private SlotBloom there;

  @BeforeDatabase
  static void makeClock() {
    clock = new ClockedConnections(schema.pool(), NOON);
  }

  @BeforeEach
  void open() {
    clock.set(NOON);
    here = SlotBloom.builder(clock.dataSource()).build();
    there = SlotBloom.builder(clock.dataSource()).build();
  }

  @AfterEach
  void close() {
    here.close();
    there.close();
  }

  private static FilterSpec.Builder<String> week() {
    return FilterSpec.builder(KeyType.text())
        .capacity(7000)
        .falsePositiveRate(1e-6)
        .window(DAY.multipliedBy(7), 7);
  }

  private BloomFilter<String> reserve(String name) {
    return here.reserve(name, week().build());
  }

  /** A mirror may answer yes for a lease longer than the window says. */
  private static void awaitNo(BloomFilter<String> filter, String key) {
    await().until(() -> !filter.mightContain(key));
  }

  @ParameterizedTest
  @EnumSource
  void aKeyIsFoundForTheLengthOfTheWindowAndIsNewABucketLater(Use use) {
    BloomFilter<String> mine =
        here.reserve("length_" + use.filterName(), week().build(), use.options());
    BloomFilter<String> theirs = use.open(there, mine.name());
    assertThat(mine.add("a")).isTrue();
    for (int day = 0; day < 7; day++) {
      clock.advance(DAY);
      assertThat(theirs.mightContain("a")).as("after %s days", day + 1).isTrue();
      assertThat(theirs.add("a")).as("after %s days", day + 1).isFalse();
      assertThat(mine.add("day " + day)).isTrue();
    }
    clock.advance(DAY);
    awaitNo(theirs, "a");
    assertThat(theirs.add("a")).isTrue();
    assertThat(mine.add("a")).isFalse();
    assertThat(mine.mightContain("day 0")).isTrue();
  }

  @Test
  void aKeyThatIsAddedAgainLivesLongerOnlyWhereKeysAreRenewed() {
    BloomFilter<String> first = reserve("first_seen_");
    BloomFilter<String> renewed = here.reserve("renewed", week().renew().build());
    for (BloomFilter<String> filter : List.of(first, renewed)) {
      assertThat(filter.add("a")).isTrue();
    }
    clock.advance(DAY.multipliedBy(5));
    for (BloomFilter<String> filter : List.of(first, renewed)) {
      assertThat(filter.add("other")).isTrue();
      assertThat(filter.add("a")).isFalse();
      assertThat(filter.addEach(List.of("a", "a"))).containsExactly(false, false);
    }
    clock.advance(DAY.multipliedBy(3));
    awaitNo(first, "a");
    assertThat(renewed.mightContain("a")).isTrue();
    assertThat(renewed.add("a")).isFalse();
    assertThat(first.add("a")).isTrue();
  }

  @Test
  void anOfferedKeyIsNewOrSeenOrTooOldToTell() throws Exception {
    BloomFilter<String> filter = reserve("offers_");
    assertThat(filter.offer("a", NOON)).isEqualTo(Offered.NEW);
    assertThat(filter.offer("a", NOON)).isEqualTo(Offered.SEEN);
    assertThat(filter.offer("old", NOON.minus(DAY.multipliedBy(7)))).isEqualTo(Offered.EXPIRED);
    assertThat(filter.offer("old", NOON.minus(DAY.multipliedBy(6)))).isEqualTo(Offered.NEW);
    assertThat(filter.offer("soon", NOON.plusSeconds(59))).isEqualTo(Offered.NEW);
    assertThatThrownBy(() -> filter.offer("future", NOON.plusSeconds(61)))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContainingAll("2026-03-02T12:01:01Z", "2026-03-02T12:00:00Z");
    assertThat(filter.mightContain("future")).isFalse();
    clock.advance(DAY.multipliedBy(8));
    awaitNo(filter, "a");
    assertThat(filter.offer("a", NOON)).isEqualTo(Offered.EXPIRED);
    assertThat(filter.mightContain("a")).isFalse();
    try (Connection connection = clock.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      clock.setClock(connection);
      assertThat(filter.within(connection).offer("a", NOON)).isEqualTo(Offered.EXPIRED);
      assertThat(filter.within(connection).offer("a", clock.now())).isEqualTo(Offered.NEW);
      assertThat(filter.within(connection).offer("a", clock.now())).isEqualTo(Offered.SEEN);
      connection.commit();
    }
    assertThat(filter.offer("a", clock.now())).isEqualTo(Offered.SEEN);
  }

  @Test
  void aKeyThatNeverExpiresIsNewOrSeenWhateverItsTime() throws Exception {
    BloomFilter<String> filter =
        here.reserve("everlasting", FilterSpec.builder(KeyType.text()).capacity(100).build());
    Instant longAgo = Instant.EPOCH;
    assertThat(filter.offer("a", longAgo)).isEqualTo(Offered.NEW);
    assertThat(filter.offer("a", NOON)).isEqualTo(Offered.SEEN);
    try (Connection connection = clock.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      assertThat(filter.within(connection).offer("b", longAgo)).isEqualTo(Offered.NEW);
      connection.commit();
    }
    assertThat(filter.offer("b", Instant.MAX)).isEqualTo(Offered.SEEN);
  }

  /** Nobody adds but callers in their transactions, whose outcome the filter does not hear. */
  @Test
  void aWindowThatIsOnlyWrittenToInTransactionsOfCallersMovesOn() throws Exception {
    BloomFilter<String> filter = reserve("only_within_");
    addWithin(filter, "a");
    for (int day = 0; day < 2; day++) {
      awaitReady(filter);
      clock.advance(DAY);
      addWithin(filter, "day " + day);
    }
    assertThat(buckets(filter)).isEqualTo(3);
    clock.advance(DAY.multipliedBy(6));
    awaitReady(filter);
    awaitNo(filter, "a");
    addWithin(filter, "a");
    assertThat(filter.mightContainEach(List.of("day 0", "day 1"))).containsOnly(true);

    // All that it holds expires.
    clock.advance(DAY.multipliedBy(20));
    awaitReady(filter);
    awaitNo(filter, "a");
    addWithin(filter, "a");
  }

  private static void addWithin(BloomFilter<String> filter, String newKey) throws SQLException {
    try (Connection connection = clock.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      clock.setClock(connection);
      assertThat(filter.within(connection).add(newKey)).isTrue();
      connection.commit();
    }
  }

  private static void awaitReady(BloomFilter<String> filter) {
    await().until(() -> isReady(filter));
  }

  /** Returns true if the table of the next bucket is there. */
  private static boolean isReady(BloomFilter<String> filter) throws Exception {
    return sql.number(
            "SELECT COUNT(*) FROM bloom_unused_table WHERE name = ? AND description LIKE '%created"
                + " ahead%'",
            filter.name())
        == 1;
  }

  private static long buckets(BloomFilter<String> filter) throws Exception {
    return sql.number(
        "SELECT COUNT(DISTINCT bucket) FROM bloom_generation_status"
            + " WHERE name = ? AND state = 'ACTIVE'",
        filter.name());
  }

  @Test
  void tablesAndRowsOfBucketsThatExpiredGo() throws SQLException {
    BloomFilter<String> filter = reserve("flat");
    for (int day = 0; day < 12; day++) {
      // Each day it notes what was left, and drops what it noted the day before.
      Sweeper.sweep(clock.dataSource(), filter.name());
      List<String> keys =
          IntStream.range(day * 100, day * 100 + 100).mapToObj(Integer::toString).toList();
      assertThat(filter.addEach(keys)).doesNotContain(false);
      assertThat(filter.addEach(keys)).doesNotContain(true);
      clock.advance(DAY);
      assertThat(here.info(filter.name()).keysAdded()).isLessThanOrEqualTo(800);
    }
    assertThat(filter.add("last")).isTrue();
    assertThat(here.info(filter.name()).keysAdded()).isEqualTo(701);
    Sweeper.sweep(clock.dataSource(), filter.name());
    clock.advance(ShortLease.LEASE);
    Sweeper.sweep(clock.dataSource(), filter.name());
    assertThat(schema.slotTables(filter.name())).hasSizeBetween(8, 10);
    // A row stays for an hour after its table was dropped.
    clock.advance(Duration.ofHours(1));
    Sweeper.sweep(clock.dataSource(), filter.name());
    assertThat(
            sql.number(
                "SELECT COUNT(*) FROM bloom_table t JOIN bloom_filter f ON f.id = t.filter_id"
                    + " WHERE f.name = ?",
                filter.name()))
        .isLessThanOrEqualTo(10);
    requireSound(filter);
  }

  @Test
  void aWindowThatIsClearedForgetsAllBucketsAndGoesOn() throws SQLException {
    BloomFilter<String> filter = reserve("cleared");
    BloomFilter<String> theirs = there.open(filter.name(), KeyType.text());
    assertThat(filter.add("a")).isTrue();
    clock.advance(DAY);
    assertThat(theirs.addEach(List.of("a", "b"))).containsExactly(false, true);
    awaitReady(filter);
    here.admin(filter.name()).clear();
    assertThat(here.info(filter.name()).generations()).hasSize(1);
    assertThat(here.info(filter.name()).keysAdded()).isZero();
    assertThat(schema.slotTables(filter.name()))
        .doesNotContain(sql.slots(filter.name(), 1), sql.slots(filter.name(), 2))
        .contains(sql.slots(filter.name(), 3));
    for (BloomFilter<String> each : List.of(filter, theirs)) {
      assertThat(each.mightContainEach(List.of("a", "b"))).containsOnly(false);
    }
    assertThat(theirs.add("a")).isTrue();
    for (int day = 0; day < 7; day++) {
      clock.advance(DAY);
      assertThat(filter.addEach(List.of("a", "day " + day))).containsExactly(false, true);
    }
    requireSound(filter);
    clock.advance(DAY);
    awaitNo(theirs, "a");
    assertThat(theirs.add("a")).isTrue();

    // Also if all that it holds expired, and nobody has begun a bucket since.
    clock.advance(DAY.multipliedBy(20));
    here.admin(filter.name()).clear();
    assertThat(filter.mightContain("a")).isFalse();
    assertThat(filter.add("a")).isTrue();
    assertThat(theirs.add("a")).isFalse();
    requireSound(filter);
  }

  @Test
  void aBucketGrowsAndTheNextOneHasTheSameCapacity() {
    BloomFilter<String> filter = reserve("sized_");
    List<String> many = IntStream.range(0, 4_000).mapToObj(i -> "many " + i).toList();
    for (int from = 0; from < 4_000; from += 500) {
      filter.addEach(many.subList(from, from + 500));
    }
    assertThat(here.info(filter.name()).generations().size()).isGreaterThan(1);
    clock.advance(DAY);
    assertThat(filter.add("next")).isTrue();
    assertThat(filter.mightContainEach(many)).doesNotContain(false);
    var generations = here.info(filter.name()).generations();
    assertThat(generations.get(generations.size() - 1).capacity()).isBetween(4_980L, 5_000L);
  }

  @Test
  void aClockThatLeapsAheadForgetsNothing() {
    Instant now = Instant.now();
    clock.set(now);
    BloomFilter<String> filter = reserve("leap_");
    assertThat(filter.add("a")).isTrue();
    clock.set(now.plus(Duration.ofDays(400)));
    assertThatThrownBy(() -> filter.add("b"))
        .isInstanceOf(ClockException.class)
        .hasMessageContaining(filter.name());
    assertThat(filter.mightContain("a")).isTrue();
    clock.set(now);
    assertThat(filter.mightContain("a")).isTrue();
    assertThat(filter.add("a")).isFalse();
    assertThat(filter.add("b")).isTrue();
  }

  private static FilterSpec<String> threeDays() {
    return FilterSpec.builder(KeyType.text())
        .capacity(3000)
        .falsePositiveRate(1e-6)
        .hash(HashAlgorithm.SHA256)
        .window(DAY.multipliedBy(3), 3)
        .buildRemovable(10);
  }

  private BloomFilter<String> reserveRemovable(String name) {
    return here.reserve(name, threeDays());
  }

  private static long rowsOfRemoved(BloomFilter<String> filter) throws SQLException {
    return sql.number("SELECT COUNT(*) FROM " + sql.removed(filter.name()));
  }

  private void requireSound(BloomFilter<String> filter) {
    VerifyReport report = here.admin(filter.name()).verify(VerifyOptions.defaults());
    assertThat(report.sound()).as("%s", report).isTrue();
  }

  @Test
  void aRemovedKeyThatReturnsLivesForTheWholeLength() {
    BloomFilter<String> filter = reserveRemovable("returns_");
    BloomFilter<String> theirs = there.open(filter.name(), KeyType.text());
    assertThat(filter.add("a")).isTrue();
    clock.advance(DAY.multipliedBy(2));
    assertThat(Removing.from(theirs).remove("a")).isTrue();
    assertThat(filter.mightContain("a")).isFalse();
    assertThat(Removing.from(filter).remove("a")).isFalse();
    assertThat(filter.add("a")).isTrue();
    assertThat(theirs.add("a")).isFalse();
    clock.advance(DAY.multipliedBy(3));
    assertThat(theirs.add("other")).isTrue();
    assertThat(theirs.mightContain("a")).isTrue();
    assertThat(filter.add("a")).isFalse();
    clock.advance(DAY);
    await().until(() -> !filter.mightContain("a"));
    assertThat(filter.add("a")).isTrue();
    requireSound(filter);
  }

  @Test
  void removedKeysCountUntilTheirBucketExpires() throws SQLException {
    BloomFilter<String> filter = reserveRemovable("counted_");
    for (int day = 0; day < 6; day++) {
      for (int i = 0; i < 5; i++) {
        String key = day + " " + i;
        assertThat(filter.add(key)).isTrue();
        assertThat(Removing.from(filter).remove(key)).isTrue();
      }
      assertThat(filter.add(day + " 0")).isTrue();
      assertThat(here.info(filter.name()).keysRemoved()).isEqualTo(5L * Math.min(day + 1, 4));
      assertThat(here.info(filter.name()).keysAdded()).isEqualTo(6L * Math.min(day + 1, 4));
      clock.advance(DAY);
    }
    here.admin(filter.name()).fold();
    assertThat(rowsOfRemoved(filter)).isPositive();
    requireSound(filter);
    clock.advance(DAY.multipliedBy(10));
    assertThat(filter.add("later")).isTrue();
    assertThat(here.info(filter.name()).keysRemoved()).isZero();
    here.admin(filter.name()).fold();
    // So that the journal has nothing to keep.
    clock.advance(DAY);
    ForcedTrimming.trim(clock.dataSource(), filter.name());
    assertThat(rowsOfRemoved(filter)).isZero();
    requireSound(filter);
  }

  @Test
  void aRemovedKeyCanBeOfferedAgainWhileItsEventIsNotTooOld() throws SQLException {
    BloomFilter<String> filter = reserveRemovable("offered_again_");
    assertThat(filter.offer("a", NOON)).isEqualTo(Offered.NEW);
    try (Connection connection = clock.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      clock.setClock(connection);
      assertThat(Removing.from(filter).within(connection).remove("a")).isTrue();
      connection.commit();
    }
    assertThat(filter.offer("a", NOON)).isEqualTo(Offered.NEW);
    assertThat(filter.offer("a", NOON)).isEqualTo(Offered.SEEN);
    assertThat(Removing.from(filter).remove("a")).isTrue();
    clock.advance(DAY.multipliedBy(4));
    assertThat(filter.offer("a", NOON)).isEqualTo(Offered.EXPIRED);
  }

  @Test
  void aCopyForgetsTheRemovedKeysAsTheWindowDoes() throws Exception {
    BloomFilter<String> filter = reserveRemovable("copied_");
    filter.addEach(List.of("a", "b"));
    clock.advance(DAY.multipliedBy(2));
    filter.addEach(List.of("c", "d"));
    Removing.from(filter).removeEach(List.of("a", "c"));
    Path file = folder.resolve("window.slotbloom");
    here.admin(filter.name()).exportTo(file);
    String imported = "imported_" + filter.name();
    here.importFrom(imported, file);
    here.admin(filter.name()).copyTo("again_" + filter.name());
    for (String name : List.of(imported, "again_" + filter.name())) {
      BloomFilter<String> copy = there.open(name, KeyType.text());
      assertThat(copy.mightContainEach(List.of("a", "b", "c", "d")))
          .containsExactly(false, true, false, true);
      assertThat(here.info(copy.name()).keysRemoved()).isEqualTo(2);
      assertThat(copy.add("c")).isTrue();
      requireSound(copy);
    }
    clock.advance(DAY.multipliedBy(2));
    BloomFilter<String> copy = there.open(imported, KeyType.text());
    await().until(() -> !copy.mightContain("b"));
    assertThat(copy.add("b")).isTrue();
    // Its bits are in a bucket that still answers.
    assertThat(Removing.from(copy).remove("c")).isTrue();
    assertThat(copy.mightContain("c")).isFalse();
    clock.advance(DAY.multipliedBy(2));
    await().until(() -> !copy.mightContain("d"));
    assertThat(copy.addEach(List.of("c", "d"))).containsExactly(true, true);
    assertThat(here.info(copy.name()).keysRemoved()).isEqualTo(1);
    requireSound(copy);
  }

  @Test
  void theStoredFunctionKnowsWhatIsRemoved() throws SQLException {
    BloomFilter<String> filter = here.reserve("function", threeDays());
    filter.addEach(List.of("a", "b", "c"));
    Removing.from(filter).removeEach(List.of("a", "b"));
    here.admin(filter.name()).fold();
    clock.advance(DAY);
    assertThat(filter.add("a")).isTrue();
    assertThat(Removing.from(filter).remove("c")).isTrue();
    try (Connection connection = clock.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      for (String each : here.admin("function").functionSql()) {
        statement.execute(each);
      }
      for (String key : List.of("a", "b", "c")) {
        try (PreparedStatement ask =
            connection.prepareStatement("SELECT " + sql.function("function") + "(?)")) {
          ask.setString(1, key);
          try (ResultSet answer = ask.executeQuery()) {
            assertThat(answer.next()).isTrue();
            assertThat(answer.getBoolean(1)).as(key).isEqualTo(key.equals("a"));
          }
        }
      }
    }
  }
}
