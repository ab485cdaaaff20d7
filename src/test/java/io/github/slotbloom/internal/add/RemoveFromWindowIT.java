package io.github.slotbloom.internal.add;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.Offered;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.reliability.ForcedTrimming;
import io.github.slotbloom.report.VerifyReport;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.ClockedConnections;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Sql;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A key can be removed from a window, and what was removed is forgotten with its bucket. */
@DatabaseContract(migrated = true, shortLeases = true)
@Timeout(300)
class RemoveFromWindowIT {

  private static final Use USE = Use.MIRRORED;

  private static final Duration DAY = Duration.ofDays(1);
  private static final Instant NOON = Instant.parse("2026-03-02T12:00:00Z");
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @Fixture private static TestSchema schema;
  @Fixture private static Sql sql;

  private static ClockedConnections clock;

  @TempDir private Path folder;
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

  private static FilterSpec<String> threeDays() {
    return FilterSpec.builder(KeyType.text())
        .capacity(3000)
        .falsePositiveRate(1e-6)
        .hash(HashAlgorithm.SHA256)
        .window(DAY.multipliedBy(3), 3)
        .removable(10)
        .build();
  }

  private BloomFilter<String> reserve(Use use, String name) {
    return here.reserve(name + use.filterName(), threeDays(), use.options());
  }

  private static long rowsOfRemoved(BloomFilter<String> filter) throws SQLException {
    String table =
        sql.rows("SELECT removed_table FROM bloom_filter WHERE name = ?", filter.name())
            .get(0)
            .get(0);
    return sql.number("SELECT COUNT(*) FROM `" + table + "`");
  }

  private void requireSound(BloomFilter<String> filter) {
    VerifyReport report = here.admin().verify(filter.name(), VerifyOptions.defaults());
    assertThat(report.sound()).as("%s", report).isTrue();
  }

  @Test
  void aRemovedKeyThatReturnsLivesForTheWholeLength() {
    BloomFilter<String> filter = reserve(USE, "returns_");
    BloomFilter<String> theirs = USE.open(there, filter.name());
    assertThat(filter.add("a")).isTrue();
    clock.advance(DAY.multipliedBy(2));
    assertThat(theirs.remove("a")).isTrue();
    assertThat(filter.mightContain("a")).isFalse();
    assertThat(filter.remove("a")).isFalse();
    assertThat(filter.add("a")).isTrue();
    assertThat(theirs.add("a")).isFalse();
    clock.advance(DAY.multipliedBy(3));
    assertThat(theirs.add("other")).isTrue();
    assertThat(theirs.mightContain("a")).isTrue();
    assertThat(filter.add("a")).isFalse();
    clock.advance(DAY);
    await().atMost(PATIENCE).until(() -> !filter.mightContain("a"));
    assertThat(filter.add("a")).isTrue();
    requireSound(filter);
  }

  @Test
  void removedKeysCountUntilTheirBucketExpires() throws SQLException {
    BloomFilter<String> filter = reserve(USE, "counted_");
    for (int day = 0; day < 6; day++) {
      for (int i = 0; i < 5; i++) {
        String key = day + " " + i;
        assertThat(filter.add(key)).isTrue();
        assertThat(filter.remove(key)).isTrue();
      }
      assertThat(filter.add(day + " 0")).isTrue();
      assertThat(filter.info().keysRemoved()).isEqualTo(5L * Math.min(day + 1, 4));
      assertThat(filter.info().keysAdded()).isEqualTo(6L * Math.min(day + 1, 4));
      clock.advance(DAY);
    }
    filter.fold();
    requireSound(filter);
    clock.advance(DAY.multipliedBy(10));
    assertThat(filter.add("later")).isTrue();
    assertThat(filter.info().keysRemoved()).isZero();
    filter.fold();
    assertThat(rowsOfRemoved(filter)).isPositive();
    // So that the journal has nothing to keep.
    clock.advance(DAY);
    ForcedTrimming.trim(clock.dataSource(), filter.name());
    assertThat(rowsOfRemoved(filter)).isZero();
    requireSound(filter);
  }

  @Test
  void aRemovedKeyCanBeOfferedAgainWhileItsEventIsNotTooOld() throws SQLException {
    BloomFilter<String> filter = reserve(USE, "offers_");
    assertThat(filter.offer("a", NOON)).isEqualTo(Offered.NEW);
    try (Connection connection = clock.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      clock.setClock(connection);
      assertThat(filter.within(connection).remove("a")).isTrue();
      connection.commit();
    }
    assertThat(filter.offer("a", NOON)).isEqualTo(Offered.NEW);
    assertThat(filter.offer("a", NOON)).isEqualTo(Offered.SEEN);
    assertThat(filter.remove("a")).isTrue();
    clock.advance(DAY.multipliedBy(4));
    assertThat(filter.offer("a", NOON)).isEqualTo(Offered.EXPIRED);
  }

  @Test
  void aCopyForgetsTheRemovedKeysAsTheWindowDoes() throws Exception {
    BloomFilter<String> filter = reserve(USE, "copied_");
    filter.addEach(List.of("a", "b"));
    clock.advance(DAY.multipliedBy(2));
    filter.addEach(List.of("c", "d"));
    filter.removeEach(List.of("a", "c"));
    Path file = folder.resolve("window.slotbloom");
    here.admin().exportTo(filter.name(), file);
    String imported = "imported_" + filter.name();
    here.admin().importFrom(imported, file);
    here.admin().copy(filter.name(), "again_" + filter.name());
    for (String name : List.of(imported, "again_" + filter.name())) {
      BloomFilter<String> copy = USE.open(there, name);
      assertThat(copy.mightContainEach(List.of("a", "b", "c", "d")))
          .containsExactly(false, true, false, true);
      assertThat(copy.info().keysRemoved()).isEqualTo(2);
      assertThat(copy.add("c")).isTrue();
      requireSound(copy);
    }
    clock.advance(DAY.multipliedBy(2));
    BloomFilter<String> copy = USE.open(there, imported);
    await().atMost(PATIENCE).until(() -> !copy.mightContain("b"));
    assertThat(copy.add("b")).isTrue();
    // Its bits are in a bucket that still answers.
    assertThat(copy.remove("c")).isTrue();
    assertThat(copy.mightContain("c")).isFalse();
    clock.advance(DAY.multipliedBy(2));
    await().atMost(PATIENCE).until(() -> !copy.mightContain("d"));
    assertThat(copy.addEach(List.of("c", "d"))).containsExactly(true, true);
    assertThat(copy.info().keysRemoved()).isEqualTo(1);
    requireSound(copy);
  }

  @Test
  void theStoredFunctionKnowsWhatIsRemoved() throws SQLException {
    BloomFilter<String> filter = here.reserve("function", threeDays());
    filter.addEach(List.of("a", "b", "c"));
    filter.removeEach(List.of("a", "b"));
    filter.fold();
    clock.advance(DAY);
    assertThat(filter.add("a")).isTrue();
    assertThat(filter.remove("c")).isTrue();
    try (Connection connection = clock.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      for (String each : here.admin().functionSql("function")) {
        statement.execute(each);
      }
      for (String key : List.of("a", "b", "c")) {
        try (PreparedStatement ask =
            connection.prepareStatement("SELECT bloom_function_might_contain(?)")) {
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
