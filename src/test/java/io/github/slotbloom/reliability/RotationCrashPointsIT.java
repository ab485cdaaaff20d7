package io.github.slotbloom.reliability;

import static io.github.slotbloom.reliability.CrashedFilter.ACKNOWLEDGED;
import static io.github.slotbloom.reliability.CrashedFilter.AT_STAKE;
import static io.github.slotbloom.reliability.CrashedFilter.NEVER_ADDED;
import static io.github.slotbloom.testing.Keys.numbers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.ShortLease;
import io.github.slotbloom.testing.TablelessProcess;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ArgumentsSource;

/**
 * Whoever begins a bucket of a window, makes the table for the next, or drops what expired dies at
 * a named statement, or its server does; another one ends it.
 *
 * <p>Every build takes each point once, with one of the two kills on one of the databases. {@code
 * -Dslotbloom.test.long=true} takes each with both kills on all of them.
 */
@DatabaseContract
@Tag("servers")
@Tag("long")
class RotationCrashPointsIT extends AtCrashSite {

  private static final String NEW_ROW = "insert into .bloom_generation";
  private static final String NEW_TABLE = "create table.*bloom_bits_";
  private static final String IS_READY = "update .bloom_generation. set .*'READY'";
  private static final String ROTATED = "update .bloom_filter. set .*.bucket. =";
  private static final String DELETED = "delete from .bloom_generation";

  private static final Runnable NOTHING = () -> {};
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final List<Long> ADDED_SINCE = numbers(201, 300);

  private static final Duration LONG = Duration.ofDays(1);
  private static final int BUCKETS_OF_LONG = 24;

  private static FilterSpec<Long> window(Duration length, int buckets) {
    return FilterSpec.builder(KeyType.longs())
        .capacity(100_000)
        .falsePositiveRate(1e-6)
        .window(length, buckets)
        .build();
  }

  /** Where beginning a bucket is interrupted, with the table that it needs and the next one. */
  enum BeginPoint {
    ROW_BEFORE_COMMIT(Catch.beforeCommitOf(NEW_ROW)),
    ROW_AFTER_COMMIT(Catch.afterCommitOf(NEW_ROW)),
    BEFORE_THE_TABLE(Catch.before(NEW_TABLE)),
    AFTER_THE_TABLE(Catch.after(NEW_TABLE)),
    READY_BEFORE_COMMIT(Catch.beforeCommitOf(IS_READY)),
    READY_AFTER_COMMIT(Catch.afterCommitOf(IS_READY)),
    BEFORE_THE_COUNTS(Catch.before("update .bloom_generation. set .*keys_added")),
    BEFORE_IT_IS_ACTIVE(Catch.before("update .bloom_generation. set .*'ACTIVE'")),
    BEFORE_THE_ENTRY(Catch.before("insert into .bloom_journal")),
    AFTER_THE_ENTRY(Catch.after("insert into .bloom_journal")),
    BEFORE_THE_HEAD(Catch.before(ROTATED)),
    BEFORE_COMMIT(Catch.beforeCommitOf(ROTATED)),
    AFTER_COMMIT(Catch.afterCommitOf(ROTATED)),
    NEXT_ROW_AFTER_COMMIT(Catch.afterCommitOf(NEW_ROW, 1)),
    NEXT_BEFORE_THE_TABLE(Catch.before(NEW_TABLE, 1)),
    NEXT_READY_BEFORE_COMMIT(Catch.beforeCommitOf(IS_READY, 1)),
    NEXT_READY_AFTER_COMMIT(Catch.afterCommitOf(IS_READY, 1));

    private final Catch where;

    BeginPoint(Catch where) {
      this.where = where;
    }
  }

  @ParameterizedTest
  @ArgumentsSource(PointsAndKills.class)
  void anotherProcessBeginsABucket(BeginPoint point, Kill kill) throws Exception {
    reserve(window(LONG, BUCKETS_OF_LONG));
    age(1);
    try (BloomFilter<Long> survivor = site.others().open(name, KeyType.longs())) {
      Optional<String> answer = site.crash(kill, point.where, "rotate " + name);
      assertThat(answer).isIn(Optional.empty(), Optional.of("ok"));
      crashed.verifyTables();
      crashed.assertEverywhere(survivor, ACKNOWLEDGED, true);
      assertThat(survivor.addEach(AT_STAKE)).containsOnly(true);
      assertThat(survivor.addEach(AT_STAKE)).containsOnly(false);
      assertThat(survivor.addEach(ACKNOWLEDGED)).containsOnly(false);
      assertHolds(survivor);
    }
  }

  /** Where an add is interrupted that has to begin a bucket first. */
  enum AddPoint {
    BEFORE_THE_TABLE(Catch.before(NEW_TABLE)),
    BEFORE_COMMIT(Catch.beforeCommitOf(ROTATED)),
    AFTER_COMMIT(Catch.afterCommitOf(ROTATED)),
    BEFORE_THE_KEYS(Catch.before("insert into .bloom_journal", 1));

    private final Catch where;

    AddPoint(Catch where) {
      this.where = where;
    }
  }

  @ParameterizedTest
  @ArgumentsSource(PointsAndKills.class)
  void keysOfAnEdgeAreRecordedOnce(AddPoint point, Kill kill) throws Exception {
    reserve(window(LONG, BUCKETS_OF_LONG));
    age(1);
    try (BloomFilter<Long> survivor = site.others().open(name, KeyType.longs())) {
      Optional<String> answer =
          site.crash(kill, List.of("open " + name), point.where, List.of("add 101..103"), NOTHING);
      // Whoever lives tries again.
      assertThat(answer).isIn(Optional.empty(), Optional.of("3"));
      boolean recorded = answer.isPresent();
      crashed.assertThereWhollyOrNotAtAll(survivor, AT_STAKE, recorded);
      assertThat(survivor.addEach(AT_STAKE)).containsOnly(!recorded);
      assertThat(survivor.addEach(ACKNOWLEDGED)).containsOnly(false);
      assertHolds(survivor);
    }
  }

  private void assertHolds(BloomFilter<Long> survivor) throws SQLException {
    assertThat(survivor.addEach(ADDED_SINCE)).containsOnly(true);
    for (List<Long> there : List.of(ACKNOWLEDGED, AT_STAKE, ADDED_SINCE)) {
      crashed.assertEverywhere(survivor, there, true);
    }
    crashed.assertEverywhere(survivor, NEVER_ADDED, false);
    assertThat(survivor.info().keysAdded())
        .isEqualTo(ACKNOWLEDGED.size() + AT_STAKE.size() + ADDED_SINCE.size());
    // Another bucket may begin in between.
    await().atMost(PATIENCE).untilAsserted(() -> crashed.assertFoldsToWhatWasCommitted(survivor));
    assertNothingIsLeft();
  }

  /** Where dropping the table of a bucket that expired is interrupted. */
  enum DropPoint {
    BEFORE_THE_DROP(Catch.before("drop table")),
    AFTER_THE_DROP(Catch.after("drop table")),
    BEFORE_THE_ROW(Catch.before(DELETED)),
    ROW_BEFORE_COMMIT(Catch.beforeCommitOf(DELETED)),
    ROW_AFTER_COMMIT(Catch.afterCommitOf(DELETED));

    private final Catch where;

    DropPoint(Catch where) {
      this.where = where;
    }
  }

  @ParameterizedTest
  @ArgumentsSource(PointsAndKills.class)
  void anotherProcessDropsWhatExpired(DropPoint point, Kill kill) throws Exception {
    reserve(window(Duration.ofHours(1), 1));
    String first = site.schema().slotTables(name).get(0);
    age(4);
    Optional<String> answer = site.crash(kill, point.where, "rotate " + name);
    assertThat(answer).isIn(Optional.empty(), Optional.of("ok"));
    crashed.verifyTables();
    try (BloomFilter<Long> survivor = site.others().open(name, KeyType.longs())) {
      assertThat(survivor.mightContainEach(ACKNOWLEDGED)).containsOnly(false);
      assertThat(survivor.addEach(ACKNOWLEDGED)).containsOnly(true);
      crashed.verifyTables();
    }
    assertNothingIsLeft();
    assertThat(site.schema().slotTables(name)).doesNotContain(first);
    crashed.verifyTables();
  }

  /** Makes a window in a process that makes no table for the next bucket. */
  private void reserve(FilterSpec<Long> spec) throws SQLException {
    try (SlotBloom maker = SlotBloom.on(site.tables())) {
      maker.reserve(name, spec).close();
    }
    ShortLease.of(name, site.sql());
    try (TablelessProcess process = new TablelessProcess(site.tables())) {
      BloomFilter<Long> filter = process.open(name, KeyType.longs());
      assertThat(filter.addEach(ACKNOWLEDGED)).containsOnly(true);
      filter.fold();
    }
    assertThat(
            site.sql()
                .number(
                    "SELECT COUNT(*) FROM bloom_generation WHERE state = 'READY'"
                        + " AND filter_id = (SELECT id FROM bloom_filter WHERE name = ?)",
                    name))
        .isZero();
  }

  /** As if the newest bucket had begun so many buckets ago. Nobody may have the filter open. */
  private void age(int buckets) throws SQLException {
    site.sql()
        .run(
            "UPDATE bloom_filter f JOIN bloom_generation g ON g.filter_id = f.id"
                + " SET f.bucket = f.bucket - ?, g.bucket = g.bucket - ? WHERE f.name = ?",
            buckets,
            buckets,
            name);
  }

  /** Each table belongs to a generation, each generation has its table, and one is ahead. */
  private void assertNothingIsLeft() throws SQLException {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              ForcedRotation.rotate(site.tables(), name);
              assertThat(site.schema().slotTables(name))
                  .containsExactlyInAnyOrderElementsOf(
                      site.sql()
                          .texts(
                              "SELECT slot_table FROM bloom_generation WHERE filter_id ="
                                  + " (SELECT id FROM bloom_filter WHERE name = ?)",
                              name));
              assertThat(
                      site.sql()
                          .texts(
                              "SELECT state FROM bloom_generation WHERE filter_id ="
                                  + " (SELECT id FROM bloom_filter WHERE name = ?)"
                                  + " ORDER BY generation DESC LIMIT 2",
                              name))
                  .containsExactly("READY", "ACTIVE");
            });
  }
}
