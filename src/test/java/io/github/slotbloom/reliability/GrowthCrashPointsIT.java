package io.github.slotbloom.reliability;

import static io.github.slotbloom.testing.Keys.numbers;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.CutOffReplacement;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.ShortLease;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whoever lets a filter grow dies at a named statement, or its server does; another one ends it.
 *
 * <p>Every build takes each point on one of the databases. {@code -Dslotbloom.test.long=true} takes
 * each on all of them.
 */
@DatabaseContract
@Tag("servers")
@Tag("long")
class GrowthCrashPointsIT extends AtCrashSite {

  private static final int CAPACITY = 2000;
  private static final int LARGER = 40_000;
  private static final List<Long> ACKNOWLEDGED = numbers(1, 100);
  private static final List<Long> ADDED_SINCE = numbers(101, 200);
  private static final List<Long> ADDED = numbers(1, 200);
  private static final List<Long> NEVER_ADDED = numbers(9001, 9100);

  private final List<BloomFilter<Long>> opened = new ArrayList<>();

  @AfterEach
  void close() {
    opened.forEach(BloomFilter::close);
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
    return site.taken(Point.values()).filter(point -> point.name().startsWith(change));
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
  void anotherProcessFinishesAGrowthByALayer(Point point) throws Exception {
    BloomFilter<Long> survivor = reserve();
    site.crash(point.kill, point.where, "grow " + name + " " + LARGER);
    assertWorks(survivor);
    site.others().admin().grow(name, LARGER);
    assertHoldsWhatWasAdded(survivor, 2);
    assertThat(site.others().info(name).capacity()).isEqualTo(LARGER);
  }

  @ParameterizedTest
  @MethodSource("replacing")
  void anotherProcessFinishesAReplacement(Point point) throws Exception {
    BloomFilter<Long> survivor = reserve();
    Optional<String> answer =
        site.crash(point.kill, point.where, "replace " + name + " " + LARGER + " 1..100");
    assertWorks(survivor);
    if (!answer.equals(Optional.of("ok"))) {
      takeForDead();
      // It may not even have begun, and then these have to come as well.
      site.others()
          .admin()
          .replace(name, LARGER, FilterCommands.source(ADDED), ReplaceOptions.defaults());
    }
    assertHoldsWhatWasAdded(survivor, 1);
    assertThat(site.others().info(name).capacity()).isEqualTo(LARGER);
    assertThat(site.others().admin().replacement(name)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("givingUp")
  void anotherProcessFinishesAnAbort(Point point) throws Exception {
    BloomFilter<Long> survivor = reserve();
    CutOffReplacement.begin(site.others(), name, LARGER, "keys", KeyType.longs(), List.of());
    site.crash(point.kill, point.where, "abort " + name);
    assertWorks(survivor);
    site.others().admin().abortReplacement(name);
    assertHoldsWhatWasAdded(survivor, 1);
    assertThat(site.others().info(name).capacity()).isEqualTo(CAPACITY);
    assertThat(site.others().info(name).generations().get(0).number()).isEqualTo(1);
  }

  private BloomFilter<Long> reserve() throws SQLException {
    site.others().reserve(name, FilterCommands.spec(CAPACITY)).close();
    ShortLease.of(name, site.sql());
    BloomFilter<Long> filter = site.others().open(name, KeyType.longs());
    opened.add(filter);
    assertThat(filter.addEach(ACKNOWLEDGED)).containsOnly(true);
    filter.fold();
    return filter;
  }

  private static void takeForDead() throws SQLException {
    site.sql().run("UPDATE bloom_replacement SET updated_at = updated_at - INTERVAL 1 HOUR");
  }

  /** Whatever was left behind, others go on. */
  private void assertWorks(BloomFilter<Long> survivor) throws SQLException {
    assertThat(survivor.mightContainEach(ACKNOWLEDGED)).containsOnly(true);
    assertThat(survivor.addEach(ADDED_SINCE)).containsOnly(true);
    assertThat(survivor.addEach(ADDED_SINCE)).containsOnly(false);
    FilterState.read(site.tables(), name).verify();
  }

  private void assertHoldsWhatWasAdded(BloomFilter<Long> survivor, int generations)
      throws SQLException {
    BloomFilter<Long> loaded = site.others().open(name, KeyType.longs());
    BloomFilter<Long> direct =
        site.others().open(name, KeyType.longs(), FilterOptions.defaults().withoutMirror());
    opened.addAll(List.of(loaded, direct));
    for (BloomFilter<Long> filter : List.of(survivor, loaded, direct)) {
      assertThat(filter.mightContainEach(ADDED)).containsOnly(true);
      assertThat(filter.mightContainEach(NEVER_ADDED)).containsOnly(false);
      assertThat(filter.addEach(ADDED)).containsOnly(false);
    }
    survivor.fold();
    FilterState.read(site.tables(), name).verifyFolded();
    FilterInfo info = site.others().info(name);
    assertThat(info.keysAdded()).isEqualTo(ADDED.size());
    assertThat(info.generations()).hasSize(generations);
    assertThat(site.schema().slotTables(name))
        .containsExactlyElementsOf(
            info.generations().stream().map(FilterInfo.Generation::slotTable).toList());
  }
}
