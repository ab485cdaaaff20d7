package io.github.slotbloom.internal.admin;

import static io.github.slotbloom.testing.FilterNames.newName;
import static io.github.slotbloom.testing.Keys.assertHolds;
import static io.github.slotbloom.testing.Keys.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.Freshness;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.reliability.ForcedTrimming;
import io.github.slotbloom.report.Finding;
import io.github.slotbloom.testing.BehindNetwork;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.OddHours;
import io.github.slotbloom.testing.Removing;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestAccount;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Trap;
import io.github.slotbloom.testing.Use;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** When clear has returned, no process answers from before. */
@OddHours
@DatabaseContract(shortLeases = true)
@Tag("mysql")
class ClearIT {

  private static final Use USE = Use.MIRRORED;

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom here;
  @Fixture private static SlotBloom there;
  @Fixture private static Sql sql;

  @Test
  void everyProcessForgetsTheKeysAndGoesOn() {
    String name = USE.filterName();
    FilterSpec<String> spec = USE.spec(KeyType.text());
    BloomFilter<String> mine = here.reserve(name, spec);
    BloomFilter<String> theirs = there.open(name, spec, USE.options());
    BloomFilter<String> bounded =
        there.open(
            name,
            spec,
            FilterOptions.defaults().freshness(Freshness.bounded(Duration.ofMinutes(1))));
    assertThat(mine.addEach(List.of("a", "b", "c"))).containsOnly(true);
    assertThat(theirs.mightContainEach(List.of("a", "b", "c"))).containsOnly(true);
    here.admin(mine.name()).fold();
    assertThat(theirs.add("unfolded")).isTrue();

    here.admin(mine.name()).clear();

    List<String> keys = List.of("a", "b", "c", "unfolded");
    assertThat(bounded.mightContainEach(keys)).containsOnly(false);
    assertThat(theirs.mightContainEach(keys)).containsOnly(false);
    assertThat(mine.mightContainEach(keys)).containsOnly(false);
    assertThat(theirs.add("a")).isTrue();
    assertThat(mine.add("a")).isFalse();
    assertThat(mine.add("b")).isTrue();
    assertThat(theirs.add("b")).isFalse();
    here.admin(theirs.name()).fold();
    FilterInfo info = here.info(mine.name());
    assertThat(info.keysAdded()).isEqualTo(2);
    assertThat(info.epoch()).isEqualTo(2);
    assertThat(info.estimatedKeys()).isBetween(1.5, 2.5);
    assertThat(there.open(name, spec).mightContainEach(List.of("a", "b", "c")))
        .containsExactly(true, true, false);
  }

  @Test
  void othersAddWhileAClearWaitsForTheLease() throws Exception {
    String name = newName();
    BloomFilter<String> mine = USE.reserve(here, name);
    assertThat(mine.addEach(List.of("a", "b"))).containsOnly(true);
    BloomFilter<String> direct = Use.DIRECT.open(there, name);
    try (BehindNetwork clearer = new BehindNetwork(schema)) {
      Trap left = clearer.network().trap(Trap.Place.BEFORE_SERVER, "update .bloom_table.*left_at");
      CompletableFuture<Void> clearing =
          CompletableFuture.runAsync(() -> clearer.bloom().admin(name).clear());
      left.caught().get(60, TimeUnit.SECONDS);
      assertThat(direct.addEach(List.of("a", "c"))).containsOnly(true);
      assertThat(mine.addEach(List.of("a", "b", "c"))).containsExactly(false, true, false);
      assertThat(clearing).isNotDone();
      left.release();
      clearing.get(60, TimeUnit.SECONDS);
    }
    assertHolds(mine, List.of("a", "b", "c"));
    assertHolds(direct, List.of("a", "b", "c"));
    assertSound(name, 3);
  }

  private static void assertSound(String name, long keys) throws SQLException {
    here.admin(name).fold();
    assertThat(here.info(name).keysAdded()).isEqualTo(keys);
    assertThat(here.info(name).generations()).hasSize(1);
    assertThat(here.admin(name).verify(VerifyOptions.defaults()).findings()).isEmpty();
    assertThat(Use.DIRECT.open(here, name).mightContain("nothing")).isFalse();
  }

  @Test
  void anOperatorMayMakeTheTable() throws SQLException {
    String name = newName();
    BloomFilter<String> filter = USE.reserve(here, name);
    filter.addEach(List.of("a", "b"));
    TestAccount account = schema.createAccount("SELECT, INSERT, UPDATE, DELETE");
    try (SlotBloom weak = SlotBloom.on(schema.pool(account, pool -> pool.setMaximumPoolSize(2)))) {
      assertThatThrownBy(() -> weak.admin(name).clear())
          .isInstanceOf(SchemaException.class)
          .hasMessageContainingAll(sql.slots(name, 2), "clear again");
      assertThat(filter.addEach(List.of("a", "b", "c"))).containsExactly(false, false, true);
      sql.runScript(weak.admin(name).growSql());
      weak.admin(name).clear();
      assertThat(filter.mightContainEach(List.of("a", "b", "c"))).containsOnly(false);
      assertThat(weak.open(name, KeyType.text()).add("a")).isTrue();
    }
    // It may not drop the old one either.
    assertThat(schema.slotTables(name)).containsExactly(sql.slots(name, 1), sql.slots(name, 2));
    assertThat(sql.texts("SELECT slot_table FROM bloom_unused_table WHERE name = ?", name))
        .containsExactly(sql.slots(name, 1));
    assertSound(name, 1);
  }

  @Test
  void aTableThatWasMadeAheadIsUsed() throws SQLException {
    String name = newName();
    BloomFilter<String> filter = here.reserve(name, USE.spec(KeyType.text(), 100));
    filter.addEach(keys("k", 90));
    await().until(() -> schema.slotTables(name).contains(sql.slots(name, 2)));
    TestAccount account = schema.createAccount("SELECT, INSERT, UPDATE, DELETE");
    try (SlotBloom weak = SlotBloom.on(schema.pool(account, pool -> pool.setMaximumPoolSize(2)))) {
      weak.admin(name).clear();
    }
    assertThat(filter.mightContainEach(keys("k", 90))).containsOnly(false);
    assertThat(here.info(name).generations().get(0).slotTable()).isEqualTo(sql.slots(name, 2));
  }

  @Test
  void aFilterOfAnExplicitSizeKeepsIt() throws SQLException {
    String name = newName();
    BloomFilter<String> filter =
        here.reserve(
            name, FilterSpec.builder(KeyType.text()).capacity(50).explicitSize(12_800, 5).build());
    filter.addEach(keys("k", 40));
    FilterInfo.Generation before = here.info(name).generations().get(0);
    here.admin(name).clear();
    FilterInfo.Generation after = here.info(name).generations().get(0);
    assertThat(after.bits()).isEqualTo(before.bits());
    assertThat(after.hashes()).isEqualTo(before.hashes());
    assertThat(after.capacity()).isEqualTo(before.capacity());
    assertThat(after.falsePositiveRate()).isEqualTo(before.falsePositiveRate());
    assertThat(after.slotTable()).isEqualTo(sql.slots(name, 2));
    assertThat(filter.addEach(keys("k", 10))).containsOnly(true);
    assertSound(name, 10);
  }

  /** What blocks and the journal held of before does not count, and does not come back. */
  @Test
  void aFilterThatRetainsHashesForgetsThoseOfBefore() throws Exception {
    String name = newName();
    BloomFilter<String> filter =
        here.reserve(
            name,
            FilterSpec.builder(KeyType.text())
                .capacity(20_000)
                .falsePositiveRate(1e-9)
                .retainHashes()
                .buildRemovable());
    List<String> old = keys("old ", 9_000);
    filter.addEach(old);
    Removing.from(filter).removeEach(old.subList(0, 500));
    here.admin(name).fold();
    sql.run("UPDATE bloom_journal SET created_at = created_at - INTERVAL 1 DAY");
    ForcedTrimming.trim(schema.dataSource(), name);
    String blocks = "SELECT COUNT(*) FROM bloom_hash_block WHERE filter_id = ?";
    long id = here.info(name).id();
    assertThat(sql.number(blocks, id)).isPositive();
    filter.addEach(keys("in the journal ", 10));

    here.admin(name).clear();

    assertThat(sql.number(blocks, id)).isZero();
    assertThat(here.info(name).keysRemoved()).isZero();
    assertThat(Removing.from(filter).removeEach(List.of("old 600", "in the journal 1")))
        .containsOnly(false);
    List<String> added = List.of("old 1", "old 700", "new", "gone");
    assertThat(filter.addEach(added)).containsOnly(true);
    assertThat(Removing.from(filter).remove("gone")).isTrue();
    here.admin(name).replace(30_000, KeySource.journal(), ReplaceOptions.defaults());
    assertThat(filter.mightContainEach(added)).containsExactly(true, true, true, false);
    assertThat(filter.mightContainEach(old.subList(2, 600))).containsOnly(false);
    assertThat(filter.mightContainEach(keys("in the journal ", 10))).containsOnly(false);
    assertThat(filter.add("gone")).isTrue();
    assertThat(here.info(name).keysAdded()).isEqualTo(4);
    // The filter is too young for a journal that is trimmed.
    assertThat(here.admin(name).verify(VerifyOptions.defaults()).findings())
        .allMatch(each -> each.kind() == Finding.Kind.ENTRY_MISSING);
  }

  /** The gate shows both: what others see before the commit, and after it. */
  @ParameterizedTest
  @EnumSource(names = {"BEFORE_SERVER", "BEFORE_CLIENT"})
  void aClearIsOneCommit(Trap.Place place) throws Exception {
    String name = newName();
    BloomFilter<String> filter = USE.reserve(here, name);
    filter.add("a");
    // Its bits stay in the old table for a lease.
    here.admin(name).fold();
    filter.add("b");
    BloomFilter<String> direct = Use.DIRECT.open(there, name);
    try (BehindNetwork clearer = new BehindNetwork(schema)) {
      CompletableFuture<Trap> commits =
          clearer.trapCommitAfter("insert.* into `bloom_journal`", place);
      CompletableFuture<Void> clearing =
          CompletableFuture.runAsync(() -> clearer.bloom().admin(name).clear());
      Trap commit = commits.get(60, TimeUnit.SECONDS);
      commit.caught().get(60, TimeUnit.SECONDS);
      boolean before = place == Trap.Place.BEFORE_SERVER;
      assertThat(direct.mightContainEach(List.of("a", "b"))).containsOnly(before);
      assertThat(here.info(name).epoch()).isEqualTo(before ? 1 : 2);
      commit.release();
      clearing.get(60, TimeUnit.SECONDS);
    }
    assertThat(filter.mightContainEach(List.of("a", "b"))).containsOnly(false);
    assertSound(name, 0);
  }

  /** Its entry is looked for, so what came after it is kept; it is repeated if it is not there. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aClearWhoseCommitIsLostIsDoneOnce(boolean committed) throws Exception {
    String name = newName();
    BloomFilter<String> filter = USE.reserve(here, name);
    filter.add("old");
    try (BehindNetwork clearer = new BehindNetwork(schema)) {
      CompletableFuture<Trap> commits =
          clearer.trapCommitAfter(
              "insert.* into `bloom_journal`",
              committed ? Trap.Place.BEFORE_CLIENT : Trap.Place.BEFORE_SERVER);
      CompletableFuture<Void> clearing =
          CompletableFuture.runAsync(() -> clearer.bloom().admin(name).clear());
      Trap commit = commits.get(60, TimeUnit.SECONDS);
      commit.caught().get(60, TimeUnit.SECONDS);
      Trap lookUp =
          clearer.network().trap(Trap.Place.BEFORE_SERVER, "from `bloom_filter`.*for update");
      commit.cut();
      lookUp.caught().get(60, TimeUnit.SECONDS);
      assertThat(there.open(name, KeyType.text()).add("meanwhile")).isTrue();
      // Another generation since then does not hide it.
      there.admin(name).grow(50_000);
      assertThat(there.open(name, KeyType.text()).add("in another generation")).isTrue();
      assertThat(clearing).isNotDone();
      lookUp.release();
      clearing.get(60, TimeUnit.SECONDS);
    }
    assertThat(here.info(name).epoch()).isEqualTo(2);
    assertThat(filter.mightContainEach(List.of("old", "meanwhile", "in another generation")))
        .containsExactly(false, committed, committed);
    assertThat(here.info(name).keysAdded()).isEqualTo(committed ? 2 : 0);
    here.admin(name).fold();
    assertThat(here.admin(name).verify(VerifyOptions.defaults()).findings()).isEmpty();
  }

  @Test
  void twoClearsAtOnceLeaveOneGeneration() throws Exception {
    String name = newName();
    BloomFilter<String> filter = USE.reserve(here, name);
    filter.add("a");
    CompletableFuture<Void> one = CompletableFuture.runAsync(() -> here.admin(name).clear());
    CompletableFuture<Void> other = CompletableFuture.runAsync(() -> there.admin(name).clear());
    one.get(60, TimeUnit.SECONDS);
    other.get(60, TimeUnit.SECONDS);
    assertThat(filter.mightContain("a")).isFalse();
    assertThat(here.info(name).epoch()).isEqualTo(3);
    assertSound(name, 0);
  }
}
