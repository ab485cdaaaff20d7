package io.github.slotbloom.internal.duty;

import static io.github.slotbloom.testing.FilterNames.newName;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.SlotBloomListener;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.testing.BehindNetwork;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.Crowd;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.ExpectedLog;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Instances;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestAccount;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Trap;
import io.github.slotbloom.testing.Use;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A filter that grows automatically, whoever fills it and however. */
@DatabaseContract(onOne = true, shortLeases = true)
@Timeout(300)
class SelfGrowthIT {

  private static final Use USE = Use.MIRRORED;

  private static final long CAPACITY = 1_000;

  @Fixture private static TestSchema schema;
  @Fixture private static Instances instances;
  @Fixture private static SlotBloom here;
  @Fixture private static Sql sql;

  /** Whether a filter could not grow. */
  private static final class Complaints implements SlotBloomListener {
    private final List<String> told = new CopyOnWriteArrayList<>();

    @Override
    public void on(SlotBloomEvent event) {
      if (event instanceof SlotBloomEvent.GrowthFailed failed) {
        told.add(failed.filter() + ": " + failed.reason());
      }
    }
  }

  /** What works in the background may have made a table, and not yet what it is for. */
  @AfterEach
  void everyTableBelongsToAGeneration() {
    await()
        .untilAsserted(
            () ->
                assertThat(
                        sql.texts(
                            "SELECT slot_table FROM bloom_generation_status UNION ALL SELECT"
                                + " slot_table FROM bloom_unused_table"))
                    .containsAll(schema.slotTables(".*")));
  }

  private static List<String> keys(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "key " + i).toList();
  }

  private static int wins(boolean[] fresh) {
    int wins = 0;
    for (boolean won : fresh) {
      wins += won ? 1 : 0;
    }
    return wins;
  }

  private static long growths(BloomFilter<?> filter) throws SQLException {
    return sql.number(
        "SELECT COUNT(*) FROM bloom_journal WHERE filter_id = ? AND kind = 'MANIFEST'",
        here.info(filter.name()).id());
  }

  @Test
  void aFilterForAThousandKeysTakesTwentyThousand() throws SQLException {
    String name = newName();
    FilterSpec<String> spec = FilterSpec.builder(KeyType.text()).capacity(CAPACITY).build();
    BloomFilter<String> filter = here.reserve(name, spec, USE.options());
    assertThat(here.info(filter.name()).onFull()).as("what nobody chose").isEqualTo(OnFull.GROW);
    List<String> all = keys(0, 20_000);
    Random random = new Random(5);
    int wins = 0;
    for (int from = 0; from < all.size(); ) {
      int to = Math.min(all.size(), from + 1 + random.nextInt(random.nextBoolean() ? 3 : 3000));
      List<String> batch = all.subList(from, to);
      wins += wins(filter.addEach(batch));
      assertThat(filter.mightContainEach(batch)).containsOnly(true);
      from = to;
    }
    here.admin(filter.name()).fold();
    FilterInfo info = here.info(filter.name());
    // The rest are false positives.
    assertThat(wins).isBetween(19_950, 20_000);
    assertThat(info.keysAdded()).isEqualTo(wins);
    assertThat(info.capacity()).isBetween(info.keysAdded(), 2 * info.keysAdded());
    assertThat(growths(filter)).isEqualTo(info.generations().size() - 1);
    assertThat(
            info.generations().stream().mapToDouble(FilterInfo.Generation::falsePositiveRate).sum())
        .isLessThan(info.falsePositiveRate());
    assertThat(info.currentFalsePositiveRate()).isLessThan(info.falsePositiveRate());
    int asked = 50_000;
    for (BloomFilter<String> one : List.of(filter, USE.open(instances.another(), name))) {
      assertThat(one.addEach(all)).containsOnly(false);
      int positives = wins(one.mightContainEach(keys(100_000, 100_000 + asked)));
      double expected = asked * info.falsePositiveRate();
      assertThat((double) positives).isLessThan(expected + 6 * Math.sqrt(expected));
    }
  }

  @Test
  void oneOfManyProcessesLetsTheFilterGrow() throws Exception {
    String name = newName();
    FilterSpec<String> spec =
        FilterSpec.builder(KeyType.text()).capacity(500).falsePositiveRate(1e-9).build();
    BloomFilter<String> first = here.reserve(name, spec);
    Complaints complaints = new Complaints();
    int processes = 4;
    LongAdder wins = new LongAdder();
    try (Instances crowd = new Instances(schema)) {
      List<BloomFilter<String>> filters = new ArrayList<>();
      for (int process = 0; process < processes; process++) {
        SlotBloom bloom =
            crowd.another(
                pool -> pool.setMaximumPoolSize(2), settings -> settings.listener(complaints));
        filters.add((process % 2 == 0 ? Use.MIRRORED : Use.DIRECT).open(bloom, name));
      }
      Crowd.of(
              2 * processes,
              number -> {
                // Two of different processes bring the same keys.
                int begin = (number + number / processes) % processes * 1000;
                for (int from = begin; from < begin + 1000; from += 50) {
                  BloomFilter<String> filter = filters.get(number % processes);
                  wins.add(wins(filter.addEach(keys(from, from + 50))));
                }
              })
          .join(Duration.ofSeconds(100));
    }
    FilterInfo info = here.info(first.name());
    assertThat(first.mightContainEach(keys(0, 4_000))).containsOnly(true);
    assertThat(wins.sum()).isEqualTo(4_000);
    assertThat(info.keysAdded()).isEqualTo(4_000);
    assertThat(info.capacity()).as("500, doubled as often as needed").isEqualTo(4_000);
    assertThat(info.generations()).as("one for each doubling").hasSize(4);
    assertThat(growths(first)).isEqualTo(3);
    assertThat(complaints.told).isEmpty();
  }

  @Test
  void aBatchLargerThanTwiceTheCapacityGrowsTheFilterOnce() throws SQLException {
    BloomFilter<String> filter = USE.reserve(here, newName());
    filter.addEach(keys(0, 10));
    assertThat(filter.addEach(keys(0, 12_000))).endsWith(true).startsWith(false);
    FilterInfo info = here.info(filter.name());
    assertThat(info.keysAdded()).isEqualTo(12_000);
    assertThat(info.capacity()).isEqualTo(8 * Use.CAPACITY);
    assertThat(growths(filter)).isEqualTo(1);
  }

  @Test
  void keysThatExactlyFitDoNotLetTheFilterGrow() throws SQLException {
    BloomFilter<String> filter = USE.reserve(here, newName());
    filter.addEach(keys(0, 1_999));
    filter.add("the last");
    filter.add("the last");
    filter.addEach(keys(0, 1_999));
    assertThat(here.info(filter.name()).keysAdded()).isEqualTo(Use.CAPACITY);
    assertThat(growths(filter)).isZero();
    assertThat(filter.add("one more")).isTrue();
    assertThat(growths(filter)).isEqualTo(1);
  }

  @Test
  void aPoolOfOneConnectionIsEnough() {
    Complaints complaints = new Complaints();
    SlotBloom bloom =
        instances.another(
            pool -> pool.setMaximumPoolSize(1), settings -> settings.listener(complaints));
    BloomFilter<String> filter = USE.reserve(bloom, newName());
    for (int from = 0; from < 10_000; from += 500) {
      assertThat(filter.addEach(keys(from, from + 500))).containsOnly(true);
    }
    assertThat(filter.mightContainEach(keys(0, 10_000))).containsOnly(true);
    assertThat(here.info(filter.name()).capacity()).isEqualTo(16_000);
    assertThat(complaints.told).isEmpty();
  }

  @Test
  void transactionsOfCallersGoOnAndItGrowsAfterwards() throws SQLException {
    String name = newName();
    BloomFilter<String> filter = USE.reserve(here, name);
    try (Connection connection = ByHand.transaction(schema.dataSource().getConnection())) {
      assertThat(filter.within(connection).addEach(keys(0, 2_300))).containsOnly(true);
      connection.commit();
    }
    await()
        .untilAsserted(
            () -> assertThat(here.info(filter.name()).capacity()).isEqualTo(2 * Use.CAPACITY));
    try (Connection connection = ByHand.transaction(schema.dataSource().getConnection())) {
      assertThat(filter.within(connection).addEach(keys(2_299, 2_400)))
          .startsWith(false)
          .endsWith(true);
      connection.commit();
    }
    assertThat(here.info(filter.name()).keysAdded()).isEqualTo(2_400);
    assertThat(filter.mightContainEach(keys(0, 2_400))).containsOnly(true);
    assertThat(growths(filter)).isEqualTo(1);
  }

  @Test
  void theNextTableIsMadeBeforeItIsNeeded() throws SQLException {
    String name = newName();
    BloomFilter<String> filter = USE.reserve(here, name);
    filter.addEach(keys(0, 1_599));
    filter.addEach(keys(1_599, 1_601));
    await().until(() -> schema.slotTables(name).size() == 2);
    assertThat(here.info(filter.name()).generations()).as("not in use yet").hasSize(1);
    here.admin(name).drop();
    assertThat(schema.slotTables(name)).isEmpty();
  }

  @Test
  @ExpectedLog(KnownLogs.SELF_GROWTH_FAILED)
  void aFilterDroppedWhileItPreparesToGrowLeavesNoTable() throws Exception {
    String name = newName();
    USE.reserve(here, name);
    try (BehindNetwork late = new BehindNetwork(schema)) {
      BloomFilter<String> filter = USE.open(late.bloom(), name);
      Trap trap = late.network().trap(Trap.Place.BEFORE_SERVER, "CREATE TABLE.*" + name);
      filter.addEach(keys(0, 1_700));
      trap.caught().get(60, TimeUnit.SECONDS);
      here.admin(name).drop();
      trap.release();
    }
    assertThat(schema.slotTables(name)).isEmpty();
  }

  @Test
  void anAccountThatMayNotMakeTablesUsesAPreparedOne() throws SQLException {
    String name = newName();
    USE.reserve(here, name).close();
    Complaints complaints = new Complaints();
    TestAccount account = schema.createAccount("SELECT, INSERT, UPDATE, DELETE");
    try (SlotBloom weak =
        SlotBloom.builder(schema.pool(account, pool -> pool.setMaximumPoolSize(2)))
            .listener(complaints)
            .build()) {
      sql.runScript(weak.admin(name).growSql());
      BloomFilter<String> filter = USE.open(weak, name);
      assertThat(filter.addEach(keys(0, 1_900))).containsOnly(true);
      assertThat(filter.addEach(keys(1_900, 3_000))).containsOnly(true);
      assertThat(here.info(filter.name()).capacity()).isEqualTo(2 * Use.CAPACITY);
      assertThat(complaints.told).isEmpty();
    }
  }

  @Test
  void anUnknownOnFullSettingFailsTheAdd() throws SQLException {
    String name = newName();
    BloomFilter<String> filter = USE.reserve(here, name);
    sql.run("UPDATE bloom_filter SET on_full = 'EXPLODE' WHERE name = ?", name);
    assertThatThrownBy(() -> filter.add("a")).hasMessageContainingAll(name, "OnFull", "EXPLODE");
  }
}
