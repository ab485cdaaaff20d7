package io.github.slotbloom;

import static io.github.slotbloom.testing.FilterNames.newName;
import static io.github.slotbloom.testing.Keys.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.report.FilterUsage;
import io.github.slotbloom.report.ProcessStatistics;
import io.github.slotbloom.report.ProcessStatistics.MirrorState;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Instances;
import io.github.slotbloom.testing.Sleeper;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a filter was asked and answered, here and in all processes. */
@DatabaseContract
@Timeout(180)
class UsageIT {

  /** So full that one key in some dozens is a false positive. */
  private static final FilterSpec<String> CROWDED =
      FilterSpec.builder(KeyType.text())
          .capacity(1000)
          .falsePositiveRate(0.05)
          .layout(Layout.STANDARD)
          .build();

  @Fixture private static TestSchema schema;
  @Fixture private static Sql sql;
  @Fixture private static Instances instances;
  @Fixture private static SlotBloom here;
  @Fixture private static SlotBloom there;

  private static void awaitUsage(String name, FilterUsage expected) {
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(here.info(name).usage()).isEqualTo(expected));
  }

  @Test
  void theUsageOfAllProcessesAddsUp() throws SQLException {
    String name = newName();
    BloomFilter<String> mirrored = here.reserve(name, CROWDED);
    BloomFilter<String> direct =
        there.open(name, CROWDED, FilterOptions.defaults().withoutMirror());
    assertThat(here.info(name).usage()).isEqualTo(FilterUsage.NONE);

    assertThat(mirrored.addEach(List.of("a", "b", "a"))).containsExactly(true, true, false);
    assertThat(direct.add("a")).isFalse();
    assertThat(direct.addAsync("c").join()).isTrue();
    assertThat(mirrored.mightContain("c")).isTrue();
    assertThat(mirrored.mightContain("d")).isFalse();
    assertThat(direct.mightContainEach(List.of("a", "d", "e"))).containsExactly(true, false, false);

    assertThat(mirrored.statistics().usage()).isEqualTo(new FilterUsage(1, 1, 2, 1, 0));
    assertThat(direct.statistics().usage()).isEqualTo(new FilterUsage(2, 1, 1, 1, 0));
    mirrored.close();
    awaitUsage(name, new FilterUsage(1, 1, 2, 1, 0));
    direct.close();
    awaitUsage(name, new FilterUsage(3, 2, 3, 2, 0));
    direct.close();

    // It goes back some days, of which each has a row.
    sql.run("UPDATE bloom_usage SET day = day - INTERVAL 6 DAY");
    assertThat(here.info(name).usage().lookups()).isEqualTo(5);
    sql.run("UPDATE bloom_usage SET day = day - INTERVAL 1 DAY");
    assertThat(here.info(name).usage()).isEqualTo(FilterUsage.NONE);
  }

  @Test
  void newKeysOfACallersTransactionCountOnceItCommitted() throws SQLException {
    try (BloomFilter<String> filter = here.reserve(newName(), CROWDED);
        Connection connection = schema.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      TransactionalWrites<String> undone = filter.within(connection);
      undone.add("a");
      connection.rollback();
      TransactionalWrites<String> writes = filter.within(connection);
      assertThat(writes.addEach(List.of("a", "b", "a"))).containsExactly(true, true, false);
      assertThat(filter.statistics().usage()).isEqualTo(new FilterUsage(0, 0, 0, 1, 0));
      connection.commit();
      writes.committed();
      writes.committed();
      assertThat(filter.statistics().usage()).isEqualTo(new FilterUsage(0, 0, 2, 1, 0));
    }
  }

  @Test
  void aClearRestartsTheUsageAndADropDeletesIt() throws SQLException {
    String name = newName();
    here.reserve(name, CROWDED).close();
    try (BloomFilter<String> filter = here.open(name, CROWDED)) {
      filter.add("a");
    }
    awaitUsage(name, new FilterUsage(0, 0, 1, 0, 0));
    here.admin(name).clear();
    assertThat(here.info(name).usage()).isEqualTo(FilterUsage.NONE);
    try (BloomFilter<String> filter = here.open(name, CROWDED)) {
      filter.mightContain("a");
    }
    awaitUsage(name, new FilterUsage(1, 0, 0, 0, 0));
    long id = here.info(name).id();
    assertThat(sql.number("SELECT COUNT(*) FROM bloom_usage WHERE filter_id = ?", id)).isEqualTo(2);
    here.admin(name).drop();
    assertThat(sql.number("SELECT COUNT(*) FROM bloom_usage WHERE filter_id = ?", id)).isZero();
  }

  @Test
  void falsePositivesOfGuardedLookupsShowTheFalsePositiveRate() {
    String name = newName();
    Map<String, Integer> table = new HashMap<>();
    List<String> asked = new ArrayList<>();
    try (BloomFilter<String> filter = here.reserve(name, CROWDED)) {
      List<String> present = keys("present ", 1000);
      filter.addEach(present);
      present.forEach(key -> table.put(key, key.length()));
      LookupGuard<String, Integer> guard =
          new LookupGuard<>(
              filter,
              keys -> {
                asked.addAll(keys);
                Map<String, Integer> found = new HashMap<>(table);
                found.keySet().retainAll(keys);
                return found;
              });

      List<String> mixed = new ArrayList<>(keys("absent ", 5000));
      mixed.addAll(present);
      mixed.add("present 0");
      assertThat(guard.findAll(mixed)).isEqualTo(table);
      int falsePositives = asked.size() - 1000;
      // With 5000 keys and a rate near 0.05, far outside of what chance allows.
      assertThat(falsePositives).isBetween(100, 500);
      assertThat(asked).doesNotHaveDuplicates();

      FilterUsage usage = filter.statistics().usage();
      assertThat(usage.falsePositives()).isEqualTo(falsePositives);
      assertThat(usage.negatives()).isEqualTo(5000 - falsePositives);
      assertThat(usage.observedFalsePositiveRate())
          // The keys that were added were absent as well when they were.
          .hasValue(falsePositives / (5000.0 + usage.newKeys()));

      assertThat(guard.find("present 7")).hasValue(9);
      assertThat(guard.find("absent 0").isPresent()).isFalse();
      asked.clear();
      assertThat(guard.findAll(List.of())).isEmpty();
      assertThat(asked).isEmpty();
    }
  }

  @Test
  void aFalsePositiveIsCountedOnlyIfTheFilterTakesTheKeyForAMember() {
    String name = newName();
    try (BloomFilter<String> mirrored = here.reserve(name, CROWDED);
        BloomFilter<String> direct =
            there.open(name, CROWDED, FilterOptions.defaults().withoutMirror())) {
      mirrored.add("a");
      for (BloomFilter<String> filter : List.of(mirrored, direct)) {
        assertThat(filter.reportFalsePositives(List.of("b"))[0]).isFalse();
        assertThat(filter.statistics().usage().falsePositives()).isZero();
        assertThat(filter.reportFalsePositives(List.of("a"))[0]).isTrue();
        assertThat(filter.statistics().usage().falsePositives()).isEqualTo(1);
        assertThat(filter.statistics().usage().lookups()).isZero();
      }
    }
  }

  @Test
  void aMirrorChecksAFalsePositiveWithoutTheDatabase() throws SQLException {
    String name = newName();
    try (Sleeper sleeper = new Sleeper(schema, event -> {})) {
      here.reserve(name, CROWDED).close();
      BloomFilter<String> filter = sleeper.bloom().open(name, CROWDED);
      filter.add("a");
      sleeper.sleep();
      assertThat(filter.reportFalsePositives(List.of("a", "b", "a")))
          .containsExactly(true, false, true);
      assertThat(filter.statistics().usage().falsePositives()).isEqualTo(2);
      sleeper.wake();
    }
  }

  @Test
  void statisticsShowTheMemoryOfAProcess() {
    String name = newName();
    try (BloomFilter<String> filter = here.reserve(name, CROWDED);
        BloomFilter<String> direct =
            there.open(name, CROWDED, FilterOptions.defaults().withoutMirror())) {
      filter.add("a");
      filter.add("b");
      for (int i = 0; i < 3; i++) {
        assertThat(filter.add("a")).isFalse();
        assertThat(filter.mightContain("b")).isTrue();
      }
      assertThat(filter.mightContain("c")).isFalse();
      direct.mightContain("a");

      ProcessStatistics statistics = filter.statistics();
      // Two that were new, and one no, which is asked for each time.
      assertThat(statistics.waited()).isEqualTo(3);
      MirrorState mirror = statistics.mirror().orElseThrow();
      FilterInfo info = here.info(name);
      assertThat(mirror.bytes()).isEqualTo(info.mirrorBytes());
      assertThat(mirror.cursor()).isEqualTo(info.lastSequence());
      assertThat(mirror.entriesBehind()).isZero();
      assertThat(mirror.age()).isBetween(Duration.ZERO, Duration.ofMinutes(1));
      assertThat(direct.statistics().mirror()).isEmpty();
      assertThat(direct.statistics().waited()).isEqualTo(1);
    }
  }

  @Test
  void infoShowsSizesAndLagOfTheTables() throws SQLException {
    String name = newName();
    FilterSpec<String> spec =
        FilterSpec.builder(KeyType.text()).capacity(40_000).falsePositiveRate(0.001).build();
    long emptyTable;
    // Nobody else folds once it is closed.
    try (SlotBloom alone = instances.another()) {
      BloomFilter<String> filter = alone.reserve(name, spec);
      emptyTable = here.info(name).slotTableBytes();
      filter.addEach(keys("key ", 20_000));
      here.admin(filter.name()).fold();
    }
    // The server may not have counted yet.
    FilterInfo info = here.info(name);
    assertThat(info.foldLag()).isZero();
    // Each row takes 30 bytes and more.
    assertThat(info.slotTableBytes())
        .isGreaterThan(emptyTable)
        .isGreaterThanOrEqualTo(30 * info.generations().get(0).slotRows());
    assertThat(info.journalTableBytes()).isGreaterThan(20_000 * Long.BYTES);
    assertThat(info.bitsPerKey()).isEqualTo(info.bits() / 40_000.0);
    assertThat(info.fill()).isEqualTo(info.bitsSet() / (double) info.bits());
    assertThat(info.mirrorBytes()).isEqualTo(info.generations().get(0).slots() * 8);

    sql.run("UPDATE bloom_fold SET folded_seq = folded_seq - 1 WHERE filter_id = ?", info.id());
    sql.run(
        "UPDATE bloom_journal SET created_at = created_at - INTERVAL 1 HOUR WHERE filter_id = ?",
        info.id());
    assertThat(here.info(name).foldLag()).isBetween(Duration.ofHours(1), Duration.ofHours(2));
  }
}
