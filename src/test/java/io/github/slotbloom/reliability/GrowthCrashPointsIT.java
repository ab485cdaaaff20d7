package io.github.slotbloom.reliability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.WriteMode;
import io.github.slotbloom.testing.AfterDatabase;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestDatabase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whoever lets a filter grow dies at a named statement, or its server does; another one ends it.
 */
@DatabaseContract
@Timeout(120)
class GrowthCrashPointsIT {

  private static final AtomicInteger NAMES = new AtomicInteger();
  private static final int CAPACITY = 2000;
  private static final int LARGER = 40_000;
  private static final List<Long> ACKNOWLEDGED = keys(1, 100);
  private static final List<Long> ADDED_SINCE = keys(101, 200);
  private static final List<Long> ADDED = keys(1, 200);
  private static final List<Long> NEVER_ADDED = keys(9001, 9100);
  private static final Runnable NOTHING = () -> {};

  private static CrashSite site;
  private static DataSource tables;
  private static Sql sql;
  private static SlotBloom others;

  private final String name = "g" + NAMES.incrementAndGet();
  private final List<BloomFilter<Long>> opened = new ArrayList<>();

  @BeforeDatabase
  static void start(TestDatabase database) throws Exception {
    site = new CrashSite(database);
    tables = site.schema().dataSource();
    sql = new Sql(tables);
    others = SlotBloom.on(site.schema().pool(pool -> pool.setMaximumPoolSize(4)));
    others.migrate();
  }

  @AfterDatabase
  static void end() throws Exception {
    others.close();
    site.close();
  }

  @AfterEach
  void heal() {
    opened.forEach(BloomFilter::close);
    site.heal();
  }

  private static List<Long> keys(long first, long last) {
    return LongStream.rangeClosed(first, last).boxed().toList();
  }

  /** Where growth by a layer is interrupted. */
  enum GrowPoint {
    NUMBER_AFTER_COMMIT(Catch.afterCommitOf("insert into .bloom_generation"), Kill.PROCESS),
    BEFORE_THE_TABLE(Catch.before("create table.*bloom_bits_"), Kill.SERVER),
    AFTER_THE_TABLE(Catch.after("create table.*bloom_bits_"), Kill.PROCESS),
    BEFORE_COMMIT(Catch.beforeCommitOf("update .bloom_filter.*generation_token"), Kill.PROCESS),
    AFTER_COMMIT(Catch.afterCommitOf("update .bloom_filter.*generation_token"), Kill.SERVER);

    private final Catch where;
    private final Kill kill;

    GrowPoint(Catch where, Kill kill) {
      this.where = where;
      this.kill = kill;
    }
  }

  @ParameterizedTest
  @EnumSource
  void aLayerThatWasCutOffIsEndedByAnother(GrowPoint point) throws Exception {
    BloomFilter<Long> survivor = reserve();
    site.crash(point.kill, List.of(), point.where, List.of("grow " + name + " " + LARGER), NOTHING);
    assertWorks(survivor);
    others.grow(name, LARGER);
    assertHoldsWhatWasAdded(survivor, 2);
    assertThat(others.info(name).capacity()).isEqualTo(LARGER);
  }

  /** Where a replacement is interrupted. */
  enum ReplacePoint {
    AFTER_THE_TABLE(Catch.after("create table.*bloom_bits_"), Kill.SERVER),
    REPLACE_BEFORE_COMMIT(Catch.beforeCommitOf("insert into .bloom_replacement"), Kill.PROCESS),
    REPLACE_AFTER_COMMIT(Catch.afterCommitOf("insert into .bloom_replacement"), Kill.SERVER),
    FILL_BEFORE_COMMIT(Catch.beforeCommitOf("update .bloom_replacement"), Kill.SERVER),
    FILL_AFTER_COMMIT(Catch.afterCommitOf("update .bloom_replacement"), Kill.PROCESS),
    CUTOVER_BEFORE_COMMIT(Catch.beforeCommitOf("delete from .bloom_replacement"), Kill.PROCESS),
    CUTOVER_AFTER_COMMIT(Catch.afterCommitOf("delete from .bloom_replacement"), Kill.SERVER),
    BEFORE_THE_DROP(Catch.before("drop table"), Kill.PROCESS),
    AFTER_THE_DROP(Catch.after("drop table"), Kill.PROCESS);

    private final Catch where;
    private final Kill kill;

    ReplacePoint(Catch where, Kill kill) {
      this.where = where;
      this.kill = kill;
    }
  }

  @ParameterizedTest
  @EnumSource
  void aReplacementThatWasCutOffIsEndedByAnother(ReplacePoint point) throws Exception {
    BloomFilter<Long> survivor = reserve();
    Optional<String> answer =
        site.crash(
            point.kill,
            List.of(),
            point.where,
            List.of("replace " + name + " " + LARGER + " 1..100"),
            NOTHING);
    assertWorks(survivor);
    if (!answer.equals(Optional.of("ok"))) {
      takeForDead();
      // It may not even have begun, and then these have to come as well.
      others.replace(name, LARGER, FilterCommands.source(ADDED), ReplaceOptions.defaults());
    }
    assertHoldsWhatWasAdded(survivor, 1);
    assertThat(others.info(name).capacity()).isEqualTo(LARGER);
    assertThat(others.replacement(name)).isEmpty();
  }

  /** Where giving a replacement up is interrupted. */
  enum AbortPoint {
    BEFORE_COMMIT(Catch.beforeCommitOf("update .bloom_filter.*generation_token"), Kill.SERVER),
    AFTER_COMMIT(Catch.afterCommitOf("update .bloom_filter.*generation_token"), Kill.PROCESS),
    BEFORE_THE_DROP(Catch.before("drop table"), Kill.SERVER),
    AFTER_THE_DROP(Catch.after("drop table"), Kill.PROCESS);

    private final Catch where;
    private final Kill kill;

    AbortPoint(Catch where, Kill kill) {
      this.where = where;
      this.kill = kill;
    }
  }

  @ParameterizedTest
  @EnumSource
  void anAbortThatWasCutOffIsEndedByAnother(AbortPoint point) throws Exception {
    BloomFilter<Long> survivor = reserve();
    KeySource breaks =
        KeySource.of(
            "keys",
            KeyType.longs(),
            () -> {
              throw new IllegalStateException("unplugged");
            });
    assertThatThrownBy(() -> others.replace(name, LARGER, breaks, ReplaceOptions.defaults()))
        .hasMessageContaining("unplugged");
    site.crash(point.kill, List.of(), point.where, List.of("abort " + name), NOTHING);
    assertWorks(survivor);
    others.abortReplacement(name);
    assertHoldsWhatWasAdded(survivor, 1);
    assertThat(others.info(name).capacity()).isEqualTo(CAPACITY);
    assertThat(others.info(name).generations().get(0).number()).isEqualTo(1);
  }

  private BloomFilter<Long> reserve() throws SQLException {
    others.reserve(name, FilterCommands.spec(WriteMode.DEFERRED, CAPACITY)).close();
    sql.run("UPDATE bloom_filter SET lease_millis = 400 WHERE name = ?", name);
    BloomFilter<Long> filter = others.open(name, KeyType.longs());
    opened.add(filter);
    assertThat(filter.addEach(ACKNOWLEDGED)).containsOnly(true);
    filter.fold();
    return filter;
  }

  private static void takeForDead() throws SQLException {
    sql.run("UPDATE bloom_replacement SET updated_at = updated_at - INTERVAL 1 HOUR");
  }

  /** Whatever was left behind, others go on. */
  private void assertWorks(BloomFilter<Long> survivor) throws SQLException {
    assertThat(survivor.mightContainEach(ACKNOWLEDGED)).containsOnly(true);
    assertThat(survivor.addEach(ADDED_SINCE)).containsOnly(true);
    assertThat(survivor.addEach(ADDED_SINCE)).containsOnly(false);
    FilterState.read(tables, name).verify();
  }

  private void assertHoldsWhatWasAdded(BloomFilter<Long> survivor, int generations)
      throws SQLException {
    BloomFilter<Long> loaded = others.open(name, KeyType.longs());
    BloomFilter<Long> direct =
        others.open(name, KeyType.longs(), FilterOptions.defaults().withoutMirror());
    opened.addAll(List.of(loaded, direct));
    for (BloomFilter<Long> filter : List.of(survivor, loaded, direct)) {
      assertThat(filter.mightContainEach(ADDED)).containsOnly(true);
      assertThat(filter.mightContainEach(NEVER_ADDED)).containsOnly(false);
      assertThat(filter.addEach(ADDED)).containsOnly(false);
    }
    survivor.fold();
    FilterState.read(tables, name).verifyFolded();
    FilterInfo info = others.info(name);
    assertThat(info.keysAdded()).isEqualTo(ADDED.size());
    assertThat(info.generations()).hasSize(generations);
    assertThat(sql.texts("SHOW TABLES LIKE 'bloom\\_bits\\_" + name + "\\_v%'"))
        .containsExactlyElementsOf(
            info.generations().stream().map(FilterInfo.Generation::slotTable).toList());
  }
}
