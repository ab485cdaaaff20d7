package io.github.slotbloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.WriteMode;
import io.github.slotbloom.testing.AfterDatabase;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.OddHours;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How journal entries reach the slot table. */
@OddHours
@DatabaseContract
class FoldIT {

  private static TestSchema schema;
  private static Instances instances;
  private static SlotBloom bloom;
  private static Sql sql;

  @BeforeDatabase
  static void migrate(TestSchema shared) {
    schema = shared;
    sql = new Sql(schema.dataSource());
    instances = new Instances(schema);
    bloom = instances.another();
    bloom.migrate();
  }

  @AfterDatabase
  static void close() {
    instances.close();
  }

  private static FilterSpec<String> spec(WriteMode mode) {
    return spec(mode, 20_000);
  }

  private static FilterSpec<String> spec(WriteMode mode, long capacity) {
    return FilterSpec.builder(KeyType.text()).capacity(capacity).writeMode(mode).build();
  }

  @Test
  void deferredEntriesReachTheSlotsByThemselvesSoon() {
    BloomFilter<String> filter = bloom.reserve("soon", spec(WriteMode.DEFERRED));
    filter.addEach(List.of("a", "b"));
    await()
        .atMost(Duration.ofSeconds(10))
        .untilAsserted(
            () -> {
              assertThat(filter.info().backlog()).isZero();
              assertThat(filter.info().estimatedKeys()).isBetween(1.5, 2.5);
            });
  }

  @Test
  void whatADeadProcessLeftIsFoldedByAnotherThatHasTheFilterOpen() throws SQLException {
    bloom.reserve("left", spec(WriteMode.DEFERRED));
    try (Connection dead = schema.dataSource().getConnection()) {
      dead.setAutoCommit(false);
      ByHand.append(dead, "left", "a", 4711);
      dead.commit();
    }
    await()
        .atMost(Duration.ofSeconds(10))
        .untilAsserted(() -> assertThat(bloom.info("left").backlog()).isZero());
    assertThat(bloom.info("left").bitsSet()).isPositive();
  }

  @Test
  void writingThroughSetsTheSlotsInTheSameTransaction() {
    BloomFilter<String> filter = bloom.reserve("through", spec(WriteMode.WRITE_THROUGH));
    for (String key : List.of("a", "b", "c")) {
      filter.add(key);
      assertThat(filter.info().backlog()).isZero();
    }
    assertThat(filter.info().estimatedKeys()).isBetween(2.5, 3.5);
    assertThat(filter.info().lastSequence()).isEqualTo(3);
  }

  @Test
  void writingThroughLeavesTheFirstRowsToFoldingWhereTheyAreMany() {
    try (SlotBloom first = instances.another()) {
      BloomFilter<String> filter = first.reserve("many", spec(WriteMode.WRITE_THROUGH, 100_000));
      filter.add("a");
      await()
          .atMost(Duration.ofSeconds(10))
          .untilAsserted(() -> assertThat(filter.info().backlog()).isZero());
    }
    // Who folded looks once more with the lock that writing through needs, but is closed by now.
    BloomFilter<String> filter = bloom.open("many", KeyType.text());
    for (String key : List.of("b", "c")) {
      filter.add(key);
      assertThat(filter.info().backlog()).isZero();
    }
    assertThat(filter.info().estimatedKeys()).isBetween(2.5, 3.5);
  }

  @Test
  void writingThroughOnlyAppendsWhileSomebodyFolds() throws SQLException {
    BloomFilter<String> filter = bloom.reserve("busy", spec(WriteMode.WRITE_THROUGH));
    BloomFilter<String> direct =
        bloom.open("busy", KeyType.text(), FilterOptions.defaults().withoutMirror());
    try (Connection folding = schema.dataSource().getConnection()) {
      ByHand.holdingFoldLockOf(filter.info().id(), folding);
      assertThat(filter.add("a")).isTrue();
      assertThat(direct.add("b")).isTrue();
      assertThat(filter.info().backlog()).isEqualTo(2);
      assertThat(filter.info().bitsSet()).isZero();
      assertThat(direct.mightContainEach(List.of("a", "b", "c")))
          .containsExactly(true, true, false);
      folding.rollback();
    }
    filter.fold();
    assertThat(filter.info().backlog()).isZero();
    assertThat(filter.info().estimatedKeys()).isBetween(1.5, 2.5);
  }

  @Test
  void foldingAgainAddsNothing() throws SQLException {
    BloomFilter<String> filter = bloom.reserve("again", spec(WriteMode.DEFERRED));
    filter.addEach(IntStream.range(0, 1000).mapToObj(i -> "key " + i).toList());
    filter.fold();
    List<List<String>> slots = sql.rows("SELECT slot, bits FROM bloom_bits_again_v1 ORDER BY slot");
    filter.fold();
    bloom.fold("again");
    assertThat(sql.rows("SELECT slot, bits FROM bloom_bits_again_v1 ORDER BY slot"))
        .isEqualTo(slots);
  }

  @Test
  void foldingAFilterThatNobodyHasOpenWorks() {
    BloomFilter<String> filter = bloom.reserve("closed", spec(WriteMode.DEFERRED));
    filter.add("a");
    filter.close();
    bloom.fold("closed");
    assertThat(bloom.info("closed").backlog()).isZero();
  }
}
