package io.github.slotbloom.internal.replace;

import static io.github.slotbloom.testing.FilterNames.newName;
import static io.github.slotbloom.testing.Keys.assertHolds;
import static io.github.slotbloom.testing.Keys.keys;
import static io.github.slotbloom.testing.Keys.missing;
import static io.github.slotbloom.testing.Keys.source;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.error.FilterMismatchException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.ReplacementException;
import io.github.slotbloom.report.Replacement;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.CutOffReplacement;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.HeldReplacement;
import io.github.slotbloom.testing.Instances;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A filter is replaced by a larger one while several processes use it. */
@DatabaseContract(shortLeases = true)
@Timeout(300)
@PossibleLog(KnownLogs.SELF_GROWTH_FAILED)
@Tag("mysql")
class ReplaceIT {

  private static final Use USE = Use.MIRRORED;

  @Fixture private static TestSchema schema;
  @Fixture private static Instances instances;
  @Fixture private static SlotBloom here;
  @Fixture private static SlotBloom there;
  @Fixture private static Sql sql;

  private static BloomFilter<String> reserveWith(List<String> keys) {
    BloomFilter<String> filter = here.reserve(newName(), Use.MIRRORED.spec(KeyType.text()));
    filter.addEach(keys);
    return filter;
  }

  @Test
  void everyProcessFollows() throws Exception {
    String name = newName();
    BloomFilter<String> mine = USE.reserve(here, name);
    BloomFilter<String> theirs = USE.open(there, name);
    List<String> before = keys("before ", 1500);
    mine.addEach(before);
    here.admin(mine.name()).fold();
    here.admin(name).grow(10_000);
    List<String> unfolded = keys("unfolded ", 300);
    theirs.addEach(unfolded);
    List<String> all = new ArrayList<>(before);
    all.addAll(unfolded);

    List<String> during = keys("during ", 500);
    try (HeldReplacement replacing = new HeldReplacement(here, name, 40_000, List.copyOf(all))) {
      assertThat(mine.addEach(during.subList(0, 250))).containsOnly(true);
      assertThat(theirs.addEach(during.subList(250, 500))).containsOnly(true);
      assertThat(theirs.addEach(during)).containsOnly(false);
      assertThat(mine.addEach(all)).containsOnly(false);
      all.addAll(during);
      assertThat(missing(theirs, all)).isEmpty();
      assertThat(mine.mightContainEach(keys("absent ", 500))).containsOnly(false);
      assertThat(here.info(name).generations().stream().map(g -> g.state().name()))
          .containsExactly("ACTIVE", "ACTIVE", "FILLING");
      replacing.finish();
    }
    List<String> after = keys("after ", 500);
    assertThat(theirs.addEach(after)).containsOnly(true);
    assertThat(mine.addEach(after)).containsOnly(false);
    all.addAll(after);
    for (BloomFilter<String> filter : List.of(mine, theirs, USE.open(instances.another(), name))) {
      assertHolds(filter, all);
      assertThat(filter.mightContainEach(keys("absent ", 2000))).containsOnly(false);
    }
    here.admin(mine.name()).fold();
    FilterInfo info = here.info(mine.name());
    assertThat(info.keysAdded()).isEqualTo(all.size());
    assertThat(info.capacity()).isEqualTo(40_000);
    assertThat(schema.slotTables(name)).containsExactly(sql.slots(name, 3));
    assertThat(info.generations()).hasSize(1);
    assertThat(here.admin(name).verify(VerifyOptions.defaults()).findings()).isEmpty();
    assertThat(here.admin(name).replacement()).isEmpty();
  }

  private static void replace(SlotBloom bloom, String name, long capacity, KeySource source) {
    bloom.admin(name).replace(capacity, source, ReplaceOptions.defaults());
  }

  /** A small filter that errs often, with keys that it wrongly takes for seen. */
  private static List<String> collidingKeys(BloomFilter<String> filter, int count) {
    return IntStream.range(0, 100_000)
        .mapToObj(i -> "collides " + i)
        .filter(filter::mightContain)
        .limit(count)
        .toList();
  }

  /** All of these keys seem to be seen. */
  private static void addInEachWay(
      List<String> keys, BloomFilter<String> mine, BloomFilter<String> theirs) throws Exception {
    assertThat(mine.addEach(keys.subList(0, 10))).containsOnly(false);
    for (String key : keys.subList(10, 20)) {
      assertThat(theirs.add(key)).isFalse();
      assertThat(mine.addAsync(key).get(60, TimeUnit.SECONDS)).isFalse();
    }
    try (Connection connection = ByHand.transaction(schema.dataSource().getConnection())) {
      assertThat(theirs.within(connection).addEach(keys.subList(20, 40))).containsOnly(false);
      connection.commit();
    }
  }

  @Test
  void aKeyHiddenByAFalsePositiveIsNotLost() throws Exception {
    String name = newName();
    FilterSpec<String> spec =
        FilterSpec.builder(KeyType.text()).capacity(200).falsePositiveRate(0.5).build();
    BloomFilter<String> mine = here.reserve(name, spec, USE.options());
    BloomFilter<String> theirs = USE.open(there, name);
    List<String> before = keys("before ", 200);
    mine.addEach(before);
    long added = here.info(mine.name()).keysAdded();
    List<String> colliding = collidingKeys(mine, 40);
    assertThat(colliding).hasSize(40);
    try (HeldReplacement replacing = new HeldReplacement(here, name, 100_000, before)) {
      addInEachWay(colliding, mine, theirs);
      assertThat(here.info(mine.name()).keysAdded()).as("none is counted").isEqualTo(added);
      replacing.finish();
    }
    assertThat(missing(theirs, before)).isEmpty();
    assertThat(missing(mine, colliding)).isEmpty();
    assertThat(missing(theirs, colliding)).isEmpty();
    assertThat(mine.addEach(colliding)).containsOnly(false);
    assertThat(here.info(mine.name()).keysAdded()).isEqualTo(added);
  }

  @Test
  void aFilterThatMemoryCannotHoldIsVerifiedInItsTables() throws SQLException {
    String name = newName();
    List<String> keys = keys("k", 500);
    BloomFilter<String> filter =
        here.reserve(
            name,
            FilterSpec.builder(KeyType.text()).capacity(1L << 36).layout(Layout.STANDARD).build(),
            FilterOptions.defaults().withoutMirror());
    filter.addEach(keys);
    List<String> lacking = keys.subList(0, 499);
    assertThatThrownBy(() -> replace(there, name, 1L << 37, source(lacking)))
        .isInstanceOf(ReplacementException.class)
        .hasMessageContainingAll(name, "500", "499");
    replace(there, name, 1L << 37, KeySource.of("all of them", KeyType.text(), keys::stream));
    assertThat(missing(filter, keys)).isEmpty();
    assertThat(schema.slotTables(name)).containsExactly(sql.slots(name, 2));
  }

  @Test
  void aSourceThatLacksKeysIsRefusedUnlessForced() throws SQLException {
    List<String> keys = keys("k", 1000);
    BloomFilter<String> filter = reserveWith(keys);
    String name = filter.name();
    assertThatThrownBy(() -> replace(here, name, 9000, KeySource.journal()))
        .as("it retains no hashes")
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining(name);
    assertThat(here.admin(name).replacement()).isEmpty();
    List<String> lacking = new ArrayList<>(keys.subList(0, 999));
    lacking.addAll(keys.subList(0, 500));
    assertThatThrownBy(() -> replace(here, name, 9000, source(lacking)))
        .isInstanceOf(ReplacementException.class)
        .hasMessageContainingAll(name, "1000", "999");
    List<String> others = new ArrayList<>(lacking);
    others.addAll(keys("other ", 500));
    assertThatThrownBy(() -> replace(here, name, 9000, source(others)))
        .as("other keys do not make up for it")
        .isInstanceOf(ReplacementException.class)
        .hasMessageContainingAll(name, "1000", "999");
    KeySource growing =
        KeySource.of(
            "a list",
            KeyType.text(),
            () -> {
              List<String> more = keys("since " + lacking.size() + " ", 10);
              filter.addEach(more);
              lacking.addAll(more);
              return lacking.stream();
            });
    assertThatThrownBy(() -> replace(here, name, 9000, growing))
        .as("nor do keys that are added meanwhile")
        .isInstanceOf(ReplacementException.class)
        .hasMessageContainingAll(name, "1000", "999");
    lacking.add(keys.get(999));
    assertThat(filter.addEach(keys)).containsOnly(false);
    assertThat(here.info(name).generations()).hasSize(2);

    replace(here, name, 9000, source(lacking));
    assertThat(missing(filter, lacking)).isEmpty();
    assertThat(schema.slotTables(name)).containsExactly(sql.slots(name, 2));

    here.admin(name).replace(3000, source(keys.subList(0, 10)), ReplaceOptions.defaults().forced());
    assertThat(missing(filter, keys)).as("forgotten, as was asked for").hasSizeGreaterThan(900);
    assertThat(missing(filter, keys.subList(0, 10))).isEmpty();
  }

  @Test
  void aReplacementGoesOnWhereItWasCutOff() {
    String name = newName();
    BloomFilter<String> filter = here.reserve(name, Use.MIRRORED.spec(KeyType.text(), 30_000));
    List<String> keys = keys("k", 20_000);
    filter.addEach(keys);
    CutOffReplacement.begin(here, name, 40_000, "keys", KeyType.text(), keys.subList(0, 9_999));
    Replacement stopped = here.admin(name).replacement().orElseThrow();
    assertThat(stopped.keysRead()).as("what it had read is there").isBetween(8_970L, 9_999L);
    assertThat(stopped.keysBefore()).isEqualTo(20_000);
    assertThat(stopped.source()).isEqualTo("keys");
    assertThat(filter.add("meanwhile")).isTrue();

    List<Replacement> told = new ArrayList<>();
    there
        .admin(name)
        .replace(
            40_000,
            KeySource.of("keys", KeyType.text(), keys::stream),
            ReplaceOptions.defaults().onProgress(told::add));
    assertThat(told.get(0).keysRead())
        .as("goes on")
        .isGreaterThan(stopped.keysRead())
        .isLessThanOrEqualTo(stopped.keysRead() + 1024);
    assertThat(told)
        .extracting(Replacement::phase)
        .contains(Replacement.Phase.REPLAYING, Replacement.Phase.VERIFYING);
    assertThat(missing(filter, keys)).isEmpty();
    assertThat(filter.mightContain("meanwhile")).isTrue();
    assertThat(here.info(filter.name()).keysAdded()).isEqualTo(20_001);
  }

  @Test
  void onlyOneProcessReplacesAFilterAtATime() throws Exception {
    List<String> keys = keys("k", 100);
    BloomFilter<String> filter = reserveWith(keys);
    String name = filter.name();
    try (HeldReplacement replacing = new HeldReplacement(here, name, 9000, keys)) {
      assertThatThrownBy(() -> replace(there, name, 9000, source(keys)))
          .isInstanceOf(ReplacementException.class)
          .hasMessageContainingAll(name, "another process");
      assertThatThrownBy(() -> replace(there, name, 9001, source(keys)))
          .isInstanceOf(InvalidParameterException.class)
          .hasMessageContainingAll(name, "9000", "9001");
      sql.run("UPDATE bloom_replacement SET updated_at = updated_at - INTERVAL 1 MINUTE");
      // However long its source says nothing.
      await()
          .until(
              () ->
                  sql.number(
                          "SELECT COUNT(*) FROM bloom_replacement WHERE updated_at > UTC_TIMESTAMP -"
                              + " INTERVAL 30 SECOND")
                      == 1);
      // As if another one had taken it over, and been dead for a while.
      sql.run(
          "UPDATE bloom_replacement SET owner = 1, updated_at = updated_at - INTERVAL 1 MINUTE");
      replace(there, name, 9000, source(keys));
      ReplacementException late =
          (ReplacementException)
              catchThrowableOfType(Exception.class, replacing::finish).getCause();
      assertThat(late).hasMessageContaining(name);
    }
    assertThat(missing(filter, keys)).isEmpty();
    assertThat(here.info(name).generations()).hasSize(1);
    assertThat(schema.slotTables(name)).containsExactly(sql.slots(name, 2));
  }

  @Test
  void aJournalWithRetainedHashesBringsAllKeys() throws Exception {
    String name = newName();
    FilterSpec<String> spec =
        FilterSpec.builder(KeyType.text())
            .capacity(1000)
            .falsePositiveRate(0.3)
            .retainHashes()
            .build();
    BloomFilter<String> mine = here.reserve(name, spec, USE.options());
    BloomFilter<String> theirs = USE.open(there, name);
    List<String> all = new ArrayList<>(keys("before ", 1000));
    mine.addEach(all.subList(0, 500));
    for (String key : all.subList(500, 600)) {
      theirs.add(key);
    }
    theirs.addEach(all.subList(600, 1000));
    long added = here.info(mine.name()).keysAdded();
    assertThat(added).as("some only seemed to be there").isLessThan(1000);
    List<String> colliding = collidingKeys(mine, 40);
    addInEachWay(colliding, mine, theirs);
    all.addAll(colliding);

    replace(there, name, 100_000, KeySource.journal());
    for (BloomFilter<String> filter : List.of(mine, theirs, USE.open(instances.another(), name))) {
      assertThat(missing(filter, all)).isEmpty();
    }
    assertThat(here.info(mine.name()).keysAdded()).isEqualTo(added);
    assertThat(here.info(name).generations())
        .extracting(FilterInfo.Generation::slotTable)
        .containsExactly(sql.slots(name, 2));
    // One more may have been made ahead.
    assertThat(schema.slotTables(name)).doesNotContain(sql.slots(name, 1));
    // Once more, now that part of what was replayed before is in the journal as well.
    replace(here, name, 200_000, KeySource.journal());
    assertThat(missing(theirs, all)).isEmpty();
  }

  @Test
  void aQueryBringsTheKeys() throws SQLException {
    String name = newName();
    BloomFilter<Long> filter =
        here.reserve(name, FilterSpec.builder(KeyType.longs()).capacity(20_000).build());
    List<Long> keys = IntStream.range(0, 2_000).mapToObj(i -> i * 7L).toList();
    filter.addEach(keys);
    sql.run("CREATE TABLE done_" + name + " (id BIGINT PRIMARY KEY)");
    sql.run(
        "INSERT INTO done_"
            + name
            + " WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999)"
            + " SELECT 7 * (a.i + 1000 * b.i) FROM n a, n b WHERE b.i < 2");
    KeySource query =
        KeySource.query(
            KeyType.longs(),
            schema.dataSource(),
            "SELECT id FROM done_" + name + " ORDER BY id",
            row -> row.getLong(1));
    replace(here, name, 50_000, query);
    assertThat(missing(filter, keys)).isEmpty();
    assertThat(here.info(filter.name()).generations()).hasSize(1);
    assertThat(here.info(filter.name()).capacity()).isEqualTo(50_000);

    KeySource wrong =
        KeySource.query(
            KeyType.longs(), schema.dataSource(), "SELECT id FROM nowhere", row -> row.getLong(1));
    assertThatThrownBy(() -> replace(here, name, 60_000, wrong))
        .isInstanceOf(ReplacementException.class)
        .hasMessageContaining("nowhere");
    here.admin(name).abortReplacement();
    assertThat(here.info(filter.name()).capacity()).isEqualTo(50_000);
    assertThatThrownBy(() -> replace(here, name, 60_000, source(List.of("a"))))
        .isInstanceOf(FilterMismatchException.class);
  }
}
