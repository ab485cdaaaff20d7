package io.github.slotbloom.internal.replace;

import static io.github.slotbloom.testing.FilterNames.newName;
import static io.github.slotbloom.testing.Keys.keys;
import static io.github.slotbloom.testing.Keys.source;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.ReplacementException;
import io.github.slotbloom.testing.Backup;
import io.github.slotbloom.testing.BehindNetwork;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.HeldReplacement;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Trap;
import io.github.slotbloom.testing.Use;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What others do to a filter that is being replaced, and what is lost of its replacement. */
@DatabaseContract(shortLeases = true)
@Timeout(300)
@PossibleLog(KnownLogs.MIRROR_RELOADED)
@PossibleLog(KnownLogs.FOLDING_FAILED)
@PossibleLog(KnownLogs.SELF_GROWTH_FAILED)
class ReplaceFaultsIT {

  private static final Use USE = Use.MIRRORED;

  private static final List<String> BEFORE = keys("before ", 300);

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom here;
  @Fixture private static SlotBloom there;
  @Fixture private static Sql sql;

  /** A filter with some keys, of which no step takes long. */
  private static String reserve(Use use) {
    String name = newName();
    try (BloomFilter<String> filter = use.reserve(here, name)) {
      filter.addEach(BEFORE);
      here.admin(filter.name()).fold();
    }
    return name;
  }

  /** Begins a replacement, and waits until it is caught in a trap. */
  private static CompletableFuture<Void> replaceUntil(Trap trap, BehindNetwork late, String name)
      throws Exception {
    CompletableFuture<Void> replacing =
        CompletableFuture.runAsync(
            () ->
                late.bloom().admin(name).replace(9000, source(BEFORE), ReplaceOptions.defaults()));
    trap.caught().get(60, TimeUnit.SECONDS);
    return replacing;
  }

  @Test
  void aReplacementOfADroppedFilterLeavesNoTable() throws Exception {
    String name = reserve(Use.MIRRORED);
    try (BehindNetwork late = new BehindNetwork(schema, pool -> pool.setMaximumPoolSize(4))) {
      Trap trap =
          late.network().trap(Trap.Place.BEFORE_SERVER, "create table.*" + sql.slots(name, 2));
      CompletableFuture<Void> replacing = replaceUntil(trap, late, name);
      here.admin(name).drop();
      trap.release();
      assertThatThrownBy(() -> replacing.get(60, TimeUnit.SECONDS))
          .hasCauseInstanceOf(FilterNotFoundException.class);
    }
    assertThat(schema.slotTables(name)).isEmpty();
  }

  @Test
  void aLateReplacementDoesNotAdviseToDropATableInUse() throws Exception {
    String name = reserve(Use.MIRRORED);
    try (BehindNetwork late = new BehindNetwork(schema)) {
      Trap trap = late.network().trap(Trap.Place.BEFORE_SERVER, "information_schema.*tables");
      CompletableFuture<Void> replacing = replaceUntil(trap, late, name);
      try (HeldReplacement first = new HeldReplacement(here, name, 9000, BEFORE)) {
        BloomFilter<String> filter = there.open(name, KeyType.text());
        filter.add("during");
        here.admin(filter.name()).fold();
        trap.release();
        assertThatThrownBy(() -> replacing.get(60, TimeUnit.SECONDS))
            .hasCauseInstanceOf(ReplacementException.class)
            .hasMessageContaining("another process");
        first.finish();
        assertThat(filter.mightContainEach(BEFORE)).containsOnly(true);
        assertThat(filter.mightContain("during")).isTrue();
      }
    }
  }

  @Test
  void aFilterDroppedMeanwhileLeavesNoEntries() throws Exception {
    String name = reserve(Use.MIRRORED);
    long id = here.info(name).id();
    try (BehindNetwork dropper = new BehindNetwork(schema);
        HeldReplacement replacing = new HeldReplacement(here, name, 9000, BEFORE)) {
      Trap trap = dropper.network().trap(Trap.Place.BEFORE_SERVER, "delete from .bloom_hash_block");
      CompletableFuture<Void> dropping =
          CompletableFuture.runAsync(() -> dropper.bloom().admin(name).drop());
      trap.caught().get(60, TimeUnit.SECONDS);
      assertThatThrownBy(replacing::finish).hasCauseInstanceOf(ReplacementException.class);
      trap.release();
      dropping.get(60, TimeUnit.SECONDS);
    }
    assertThat(sql.number("SELECT COUNT(*) FROM bloom_journal WHERE filter_id = ? AND seq > 0", id))
        .isZero();
    assertThat(schema.slotTables(name)).isEmpty();
  }

  @Test
  void aReplacementThatAClearEndedIsNotTakenForDone() throws Exception {
    String name = reserve(Use.MIRRORED);
    here.admin(name).replace(9000, source(BEFORE), ReplaceOptions.defaults());
    try (HeldReplacement replacing = new HeldReplacement(here, name, 9000, BEFORE)) {
      there.admin(name).clear();
      assertThatThrownBy(replacing::finish).hasCauseInstanceOf(ReplacementException.class);
    }
    assertThat(here.admin(name).replacement()).isEmpty();
    BloomFilter<String> filter = there.open(name, KeyType.text());
    assertThat(filter.mightContainEach(BEFORE)).containsOnly(false);
    assertThat(filter.addEach(BEFORE)).containsOnly(true);
    here.admin(name).replace(9000, source(BEFORE), ReplaceOptions.defaults());
    assertThat(schema.slotTables(name)).containsExactly(sql.slots(name, 5));
    assertThat(filter.mightContainEach(BEFORE)).containsOnly(true);
  }

  /** Its entry is in the journal, though another manifest came after it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCutOverWhoseCommitIsLostIsDoneOnce(boolean committed) throws Exception {
    String name = reserve(Use.MIRRORED);
    BloomFilter<String> filter = there.open(name, KeyType.text());
    CompletableFuture<Void> replacing;
    // One connection, so that no other COMMIT comes first.
    try (BehindNetwork late = new BehindNetwork(schema)) {
      CompletableFuture<Trap> commits =
          late.trapCommitAfter(
              "delete from `bloom_replacement`",
              committed ? Trap.Place.BEFORE_CLIENT : Trap.Place.BEFORE_SERVER);
      replacing =
          CompletableFuture.runAsync(
              () ->
                  late.bloom()
                      .admin(name)
                      .replace(9000, source(BEFORE), ReplaceOptions.defaults()));
      Trap commit = commits.get(60, TimeUnit.SECONDS);
      commit.caught().get(60, TimeUnit.SECONDS);
      Trap lookUp =
          late.network().trap(Trap.Place.BEFORE_SERVER, "from `bloom_filter`.*for update");
      commit.cut();
      lookUp.caught().get(60, TimeUnit.SECONDS);
      there.admin(name).grow(20_000);
      assertThat(filter.add("meanwhile")).isTrue();
      lookUp.release();
      replacing.get(60, TimeUnit.SECONDS);
    }
    assertThat(here.info(name).generations())
        .extracting(FilterInfo.Generation::number)
        .containsExactly(2, 3);
    assertThat(here.admin(name).replacement()).isEmpty();
    assertThat(filter.mightContainEach(BEFORE)).containsOnly(true);
    assertThat(filter.add("meanwhile")).isFalse();
    assertThat(schema.slotTables(name)).containsExactly(sql.slots(name, 2), sql.slots(name, 3));
    assertThat(here.info(name).keysAdded()).isEqualTo(BEFORE.size() + 1);
  }

  /** What a failover loses after everything was verified, the old generations still hold. */
  @Test
  void keysThatAFailoverLosesBeforeTheCutOverAreReplayedAgain() throws Exception {
    String name = reserve(USE);
    BloomFilter<String> filter = USE.open(there, name);
    AtomicInteger opened = new AtomicInteger();
    Backup[] replica = new Backup[1];
    KeySource source =
        KeySource.of(
            "a list",
            KeyType.text(),
            () -> {
              int time = opened.incrementAndGet();
              if (time == 1) {
                replica[0] = Backup.of(schema.dataSource(), name);
              }
              return BEFORE.stream().onClose(() -> failOver(time, name, replica[0]));
            });
    here.admin(name).replace(9000, source, ReplaceOptions.defaults());
    assertThat(opened).hasValueGreaterThan(2);
    for (BloomFilter<String> asked : List.of(filter, USE.open(here, name))) {
      assertThat(asked.mightContainEach(BEFORE)).containsOnly(true);
    }
    assertThat(here.info(name).keysAdded()).isEqualTo(BEFORE.size());
  }

  private static void failOver(int time, String name, Backup replica) {
    if (time != 2) {
      return;
    }
    try (Connection connection = ByHand.transaction(schema.dataSource().getConnection())) {
      replica.restore(connection);
      Sql.run(connection, "DELETE FROM " + sql.slots(name, 2));
      Sql.run(connection, "UPDATE bloom_replacement SET phase = 'REPLAYING', keys_read = 0");
      connection.commit();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** It has read none of the slots, or those of the old generation, when that is dropped. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aMirrorLoadedAcrossTheCutOverHoldsAllKeys(int generation) throws Exception {
    String name = reserve(Use.MIRRORED);
    try (BehindNetwork late = new BehindNetwork(schema, pool -> pool.setMaximumPoolSize(4));
        HeldReplacement replacing = new HeldReplacement(here, name, 9000, BEFORE)) {
      there.admin(name).fold();
      Trap trap =
          late.network()
              .trap(
                  Trap.Place.BEFORE_SERVER, "select .*slot.* from ." + sql.slots(name, generation));
      CompletableFuture<BloomFilter<String>> loading =
          CompletableFuture.supplyAsync(
              () -> {
                BloomFilter<String> loaded = late.bloom().open(name, KeyType.text());
                loaded.mightContain("nothing");
                return loaded;
              });
      trap.caught().get(60, TimeUnit.SECONDS);
      replacing.finish();
      BloomFilter<String> filter = there.open(name, KeyType.text());
      assertThat(filter.add("since")).isTrue();
      trap.release();
      try (BloomFilter<String> loaded = loading.get(60, TimeUnit.SECONDS)) {
        assertThat(loaded.mightContainEach(BEFORE)).containsOnly(true);
        assertThat(loaded.add("since")).isFalse();
        assertThat(loaded.add("later")).isTrue();
        assertThat(filter.mightContain("later")).isTrue();
      }
    }
    assertThat(schema.slotTables(name)).containsExactly(sql.slots(name, 2));
  }
}
