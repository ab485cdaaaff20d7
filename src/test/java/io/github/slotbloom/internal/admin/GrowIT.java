package io.github.slotbloom.internal.admin;

import static io.github.slotbloom.testing.FilterNames.newName;
import static io.github.slotbloom.testing.Keys.assertHolds;
import static io.github.slotbloom.testing.Keys.keys;
import static io.github.slotbloom.testing.Keys.missing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Instances;
import io.github.slotbloom.testing.OddHours;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestAccount;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Use;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A filter grows by another generation while several processes use it. */
@OddHours
@DatabaseContract(shortLeases = true)
@Timeout(300)
@Tag("mysql")
class GrowIT {

  private static final Use USE = Use.MIRRORED;

  @Fixture private static TestSchema schema;
  @Fixture private static Instances instances;
  @Fixture private static SlotBloom here;
  @Fixture private static SlotBloom there;
  @Fixture private static Sql sql;

  @Test
  void everyProcessFollows() throws SQLException {
    String name = newName();
    BloomFilter<String> mine = USE.reserve(here, name);
    BloomFilter<String> theirs = USE.open(there, name);
    List<String> before = keys("before ", 1500);
    assertThat(mine.addEach(before)).containsOnly(true);
    here.admin(mine.name()).fold();
    long bitsBefore = here.info(mine.name()).bitsSet();
    List<String> unfolded = keys("unfolded ", 300);
    assertThat(theirs.addEach(unfolded)).containsOnly(true);

    here.admin(name).grow(10_000);
    List<String> after = keys("after ", 3000);
    assertThat(theirs.addEach(after)).containsOnly(true);
    assertThat(mine.add("one more")).isTrue();
    assertThat(theirs.add("one more")).isFalse();

    List<String> all = new ArrayList<>(before);
    all.addAll(unfolded);
    all.addAll(after);
    all.add("one more");
    for (BloomFilter<String> filter : List.of(mine, theirs, USE.open(instances.another(), name))) {
      assertHolds(filter, all);
      assertThat(filter.mightContainEach(keys("absent ", 2000))).containsOnly(false);
    }
    here.admin(mine.name()).fold();
    FilterInfo info = here.info(mine.name());
    assertThat(info.backlog()).isZero();
    assertThat(info.keysAdded()).isEqualTo(all.size());
    assertThat(info.capacity()).isEqualTo(10_000);
    assertThat(info.generations()).hasSize(2);
    FilterInfo.Generation first = info.generations().get(0);
    FilterInfo.Generation second = info.generations().get(1);
    assertThat(second.capacity()).isEqualTo(10_000 - 1800);
    assertThat(second.falsePositiveRate()).isEqualTo(first.falsePositiveRate() / 2);
    assertThat(second.bitsSet()).isPositive();
    assertThat(first.bitsSet()).isGreaterThan(bitsBefore);
    assertThat(first.bitsSet() - bitsBefore)
        .as("bits of the 300 keys that were not folded yet")
        .isLessThanOrEqualTo(300L * first.hashes());
    assertThat(info.currentFalsePositiveRate()).isLessThan(info.falsePositiveRate());
    assertThat(schema.slotTables(name)).containsExactly(first.slotTable(), second.slotTable());
    BloomFilter<String> direct =
        instances.another().open(name, KeyType.text(), FilterOptions.defaults().withoutMirror());
    assertThat(missing(direct, all)).as("from the slots alone").isEmpty();
  }

  @Test
  void aFilterThatGrowsManyTimesKeepsItsFalsePositiveRate() {
    double target = 0.02;
    String name = newName();
    BloomFilter<Long> filter =
        here.reserve(
            name,
            FilterSpec.builder(KeyType.longs()).capacity(500).falsePositiveRate(target).build());
    Random random = new Random(11);
    List<Long> added = new ArrayList<>();
    long capacity = 500;
    for (int generation = 1; generation <= 10; generation++) {
      List<Long> more =
          IntStream.range(0, (int) capacity - added.size())
              .mapToObj(i -> random.nextLong())
              .toList();
      filter.addEach(more);
      added.addAll(more);
      assertThat(missing(filter, added)).isEmpty();
      if (generation < 10) {
        capacity = capacity * 3 / 2;
        here.admin(name).grow(capacity);
      }
    }
    here.admin(filter.name()).fold();
    FilterInfo info = here.info(filter.name());
    assertThat(info.generations()).hasSize(10);
    assertThat(
            info.generations().stream().mapToDouble(FilterInfo.Generation::falsePositiveRate).sum())
        .isLessThan(target);
    assertThat(info.currentFalsePositiveRate()).isLessThan(target);
    List<Long> absent = IntStream.range(0, 100_000).mapToObj(i -> random.nextLong()).toList();
    long positives = absent.size() - missing(filter, absent).size();
    // Six standard deviations of what is to be expected at the target.
    assertThat((double) positives).isLessThan(100_000 * target + 6 * Math.sqrt(100_000 * target));
    assertThat(missing(there.open(name, KeyType.longs()), added)).isEmpty();
  }

  /** The batch that folds it writes no slot. */
  @Test
  void aGrowthWithoutKeysIsFolded() {
    String name = newName();
    BloomFilter<String> filter = USE.reserve(here, name);
    here.admin(name).grow(5000);
    here.admin(filter.name()).fold();
    assertThat(here.info(filter.name()).backlog()).isZero();
    assertThat(here.info(filter.name()).bitsSet()).isZero();
    filter.addEach(keys("a", 50));
    here.admin(filter.name()).fold();
    here.admin(name).grow(6000);
    here.admin(filter.name()).fold();
    filter.addEach(keys("b", 50));
    here.admin(filter.name()).fold();
    FilterInfo info = here.info(filter.name());
    assertThat(info.backlog()).isZero();
    assertThat(info.generations().stream().map(generation -> generation.bitsSet() > 0))
        .containsExactly(false, true, true);
    assertThat(missing(filter, keys("a", 50))).isEmpty();
    assertThat(missing(filter, keys("b", 50))).isEmpty();
  }

  @Test
  void anOperatorMayMakeTheTable() throws SQLException {
    String name = newName();
    here.reserve(name, Use.MIRRORED.spec(KeyType.text())).add("a");
    TestAccount account = schema.createAccount("SELECT, INSERT, UPDATE, DELETE");
    try (SlotBloom weak = SlotBloom.on(schema.pool(account, pool -> pool.setMaximumPoolSize(2)))) {
      SchemaException refused =
          catchThrowableOfType(SchemaException.class, () -> weak.admin(name).grow(9000));
      assertThat(refused).hasMessageContaining(sql.slots(name, 2));
      assertThat(weak.info(name).generations()).hasSize(1);
      assertThat(weak.open(name, KeyType.text()).add("b")).as("goes on as before").isTrue();
      sql.runScript(weak.admin(name).growSql());
      weak.admin(name).grow(9000);
      assertThat(weak.open(name, KeyType.text()).addEach(List.of("a", "b", "c")))
          .containsExactly(false, false, true);
    }
    assertThat(schema.slotTables(name)).containsExactly(sql.slots(name, 1), sql.slots(name, 2));
  }

  /** Leaves what a crash leaves between the table and the entry. */
  private static void beginGeneration(int number, BloomFilter<?> filter) throws SQLException {
    sql.run(
        "INSERT INTO bloom_table (filter_id, generation) VALUES (?, ?)",
        here.info(filter.name()).id(),
        number);
  }

  @Test
  void aGrowthThatWasCutOffIsFinishedOrDropped() throws SQLException {
    String name = newName();
    BloomFilter<String> filter = here.reserve(name, Use.MIRRORED.spec(KeyType.text()));
    filter.add("a");
    beginGeneration(2, filter);
    sql.runScript(here.admin(name).growSql());
    assertThat(schema.slotTables(name)).hasSize(2);
    assertThat(filter.addEach(List.of("a", "b"))).containsExactly(false, true);
    assertThat(here.info(filter.name()).generations()).hasSize(1);
    here.admin(name).grow(8000);
    assertThat(here.info(filter.name()).generations()).hasSize(2);
    assertThat(here.info(filter.name()).generations().get(1).capacity()).isEqualTo(8000 - 2);
    assertThat(schema.slotTables(name)).hasSize(2);

    beginGeneration(3, filter);
    sql.runScript(here.admin(name).growSql());
    assertThat(schema.slotTables(name)).hasSize(3);
    here.admin(name).drop();
    assertThat(schema.slotTables(name)).isEmpty();
  }

  @Test
  void aClearLeavesOneGenerationForAsManyKeys() throws SQLException {
    String name = newName();
    BloomFilter<String> mine = USE.reserve(here, name);
    BloomFilter<String> theirs = USE.open(there, name);
    mine.addEach(keys("a", 500));
    here.admin(name).grow(9000);
    assertThat(there.openOrReserve(name, USE.spec(KeyType.text())).mightContain("a1")).isTrue();
    theirs.addEach(keys("b", 500));
    here.admin(mine.name()).clear();
    assertThat(there.openOrReserve(name, USE.spec(KeyType.text())).mightContain("a1")).isFalse();
    for (BloomFilter<String> filter : List.of(mine, theirs)) {
      assertThat(filter.mightContainEach(keys("a", 500))).containsOnly(false);
      assertThat(filter.mightContainEach(keys("b", 500))).containsOnly(false);
    }
    assertThat(theirs.addEach(keys("a", 500))).containsOnly(true);
    assertThat(mine.addEach(keys("a", 500))).containsOnly(false);
    here.admin(mine.name()).fold();
    FilterInfo info = here.info(mine.name());
    assertThat(info.capacity()).isEqualTo(9000);
    assertThat(schema.slotTables(name)).containsExactly(sql.slots(name, 3));
    assertThat(info.generations()).hasSize(1);
    assertThat(here.admin(name).verify(VerifyOptions.defaults()).findings()).isEmpty();
  }

  @Test
  void aFilterThatIsFilledAnewAfterEachClearDoesNotGrowForEver() throws SQLException {
    String name = newName();
    BloomFilter<String> filter =
        here.reserve(name, FilterSpec.builder(KeyType.text()).capacity(500).build());
    List<String> keys = keys("k", 3000);
    for (int round = 0; round < 4; round++) {
      assertThat(filter.addEach(keys)).contains(true);
      assertThat(missing(filter, keys)).isEmpty();
      here.admin(filter.name()).clear();
    }
    assertThat(here.info(filter.name()).capacity()).isEqualTo(4000);
    assertThat(here.info(filter.name()).generations()).hasSize(1);
    assertThat(schema.slotTables(name)).hasSize(1);
  }

  @Test
  void roomIsMadeWhereItLacks() {
    String name = newName();
    BloomFilter<String> filter =
        here.reserve(name, FilterSpec.builder(KeyType.text()).capacity(100).build());
    filter.addEach(keys("a", 60));
    here.admin(name).makeRoom(30);
    assertThat(here.info(filter.name()).capacity()).isEqualTo(100);
    here.admin(name).makeRoom(500);
    assertThat(here.info(filter.name()).capacity()).isBetween(560L, 1120L);
    assertThat(here.info(filter.name()).generations()).hasSize(2);
    for (long impossible : new long[] {-1, Long.MAX_VALUE}) {
      assertThatThrownBy(() -> here.admin(name).makeRoom(impossible))
          .isInstanceOf(InvalidParameterException.class)
          .hasMessageContaining("" + impossible);
    }
    BloomFilter<String> refusing =
        here.reserve(
            newName(),
            FilterSpec.builder(KeyType.text()).capacity(100).onFull(OnFull.REFUSE).build());
    here.admin(refusing.name()).makeRoom(500);
    assertThat(here.info(refusing.name()).capacity()).isEqualTo(100);
  }

  @Test
  void aFilterThatCannotGrowSaysWhy() {
    String name = newName();
    BloomFilter<String> filter =
        here.reserve(
            name,
            FilterSpec.builder(KeyType.text())
                .capacity(100)
                .falsePositiveRate(1e-9)
                .onFull(OnFull.DEGRADE)
                .build());
    filter.addEach(keys("a", 150));
    assertThatThrownBy(() -> here.admin(name).grow(99))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContainingAll(name, "100", "150", "99");
    assertThatThrownBy(() -> here.admin(name).grow(150))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContainingAll("100", "150");
    here.admin(name).grow(100);
    assertThat(here.info(filter.name()).generations()).hasSize(1);
    assertThatThrownBy(() -> here.admin("nowhere").grow(100))
        .isInstanceOf(FilterNotFoundException.class);
    assertThatThrownBy(() -> here.admin("nowhere").growSql())
        .isInstanceOf(FilterNotFoundException.class);
    assertThatThrownBy(() -> here.admin(name).grow(0))
        .isInstanceOf(InvalidParameterException.class);

    String fixed = newName();
    here.reserve(fixed, FilterSpec.builder(KeyType.text()).capacity(100).fixed().build());
    assertThatThrownBy(() -> here.admin(fixed).grow(200))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContainingAll(fixed, "fixed");
  }
}
