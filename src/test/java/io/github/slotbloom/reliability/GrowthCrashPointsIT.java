package io.github.slotbloom.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.AfterDatabase;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.CutOffReplacement;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.ShortLease;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestDatabase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whoever lets a filter grow dies at a named statement, or its server does; another one ends it.
 *
 * <p>Every build takes each point on one of the databases. {@code -Dslotbloom.test.long=true} takes
 * each on all of them.
 */
@DatabaseContract
@Timeout(120)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
@PossibleLog(KnownLogs.MIRROR_RELOADED)
@PossibleLog(KnownLogs.SELF_GROWTH_FAILED)
class GrowthCrashPointsIT {

  private static final AtomicInteger NAMES = new AtomicInteger();
  private static final int CAPACITY = 2000;
  private static final int LARGER = 40_000;
  private static final List<Long> ACKNOWLEDGED = keys(1, 100);
  private static final List<Long> ADDED_SINCE = keys(101, 200);
  private static final List<Long> ADDED = keys(1, 200);
  private static final List<Long> NEVER_ADDED = keys(9001, 9100);
  private static final Runnable NOTHING = () -> {};

  private static TestDatabase database;
  private static CrashSite site;
  private static DataSource tables;
  private static Sql sql;
  private static SlotBloom others;

  private final String name = "g" + NAMES.incrementAndGet();
  private final List<BloomFilter<Long>> opened = new ArrayList<>();

  @BeforeDatabase
  static void start(TestDatabase like) throws Exception {
    database = like;
    site = new CrashSite(like);
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

  /** Where growing by a layer, a replacement, or giving one up is interrupted. */
  enum Point {
    GROW_NUMBER_AFTER_COMMIT(Catch.afterCommitOf("insert into .bloom_generation"), Kill.PROCESS),
    GROW_BEFORE_THE_TABLE(Catch.before("create table.*bloom_bits_"), Kill.SERVER),
    GROW_AFTER_THE_TABLE(Catch.after("create table.*bloom_bits_"), Kill.PROCESS),
    GROW_BEFORE_COMMIT(
        Catch.beforeCommitOf("update .bloom_filter.*generation_token"), Kill.PROCESS),
    GROW_AFTER_COMMIT(Catch.afterCommitOf("update .bloom_filter.*generation_token"), Kill.SERVER),
    REPLACE_AFTER_THE_TABLE(Catch.after("create table.*bloom_bits_"), Kill.SERVER),
    REPLACE_BEFORE_COMMIT(Catch.beforeCommitOf("insert into .bloom_replacement"), Kill.PROCESS),
    REPLACE_AFTER_COMMIT(Catch.afterCommitOf("insert into .bloom_replacement"), Kill.SERVER),
    REPLACE_FILL_BEFORE_COMMIT(Catch.beforeCommitOf("update .bloom_replacement"), Kill.SERVER),
    REPLACE_FILL_AFTER_COMMIT(Catch.afterCommitOf("update .bloom_replacement"), Kill.PROCESS),
    REPLACE_CUTOVER_BEFORE_COMMIT(
        Catch.beforeCommitOf("delete from .bloom_replacement"), Kill.PROCESS),
    REPLACE_CUTOVER_AFTER_COMMIT(
        Catch.afterCommitOf("delete from .bloom_replacement"), Kill.SERVER),
    REPLACE_BEFORE_THE_DROP(Catch.before("drop table"), Kill.PROCESS),
    REPLACE_AFTER_THE_DROP(Catch.after("drop table"), Kill.PROCESS),
    ABORT_BEFORE_COMMIT(
        Catch.beforeCommitOf("update .bloom_filter.*generation_token"), Kill.SERVER),
    ABORT_AFTER_COMMIT(Catch.afterCommitOf("update .bloom_filter.*generation_token"), Kill.PROCESS),
    ABORT_BEFORE_THE_DROP(Catch.before("drop table"), Kill.SERVER),
    ABORT_AFTER_THE_DROP(Catch.after("drop table"), Kill.PROCESS);

    private final Catch where;
    private final Kill kill;

    Point(Catch where, Kill kill) {
      this.where = where;
      this.kill = kill;
    }
  }

  private static Stream<Point> pointsOf(String change) {
    return Stream.of(Point.values())
        .filter(point -> point.name().startsWith(change) && database.takes(point.ordinal()));
  }

  static Stream<Point> growing() {
    return pointsOf("GROW_");
  }

  static Stream<Point> replacing() {
    return pointsOf("REPLACE_");
  }

  static Stream<Point> givingUp() {
    return pointsOf("ABORT_");
  }

  @ParameterizedTest
  @MethodSource("growing")
  void aLayerThatWasCutOffIsEndedByAnother(Point point) throws Exception {
    BloomFilter<Long> survivor = reserve();
    site.crash(point.kill, List.of(), point.where, List.of("grow " + name + " " + LARGER), NOTHING);
    assertWorks(survivor);
    others.admin().grow(name, LARGER);
    assertHoldsWhatWasAdded(survivor, 2);
    assertThat(others.info(name).capacity()).isEqualTo(LARGER);
  }

  @ParameterizedTest
  @MethodSource("replacing")
  void aReplacementThatWasCutOffIsEndedByAnother(Point point) throws Exception {
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
      others.admin().replace(name, LARGER, FilterCommands.source(ADDED), ReplaceOptions.defaults());
    }
    assertHoldsWhatWasAdded(survivor, 1);
    assertThat(others.info(name).capacity()).isEqualTo(LARGER);
    assertThat(others.admin().replacement(name)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("givingUp")
  void anAbortThatWasCutOffIsEndedByAnother(Point point) throws Exception {
    BloomFilter<Long> survivor = reserve();
    CutOffReplacement.begin(others, name, LARGER, "keys", KeyType.longs(), List.of());
    site.crash(point.kill, List.of(), point.where, List.of("abort " + name), NOTHING);
    assertWorks(survivor);
    others.admin().abortReplacement(name);
    assertHoldsWhatWasAdded(survivor, 1);
    assertThat(others.info(name).capacity()).isEqualTo(CAPACITY);
    assertThat(others.info(name).generations().get(0).number()).isEqualTo(1);
  }

  private BloomFilter<Long> reserve() throws SQLException {
    others.reserve(name, FilterCommands.spec(CAPACITY)).close();
    ShortLease.of(name, sql);
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
    assertThat(site.schema().slotTables(name))
        .containsExactlyElementsOf(
            info.generations().stream().map(FilterInfo.Generation::slotTable).toList());
  }
}
