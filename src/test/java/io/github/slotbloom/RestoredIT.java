package io.github.slotbloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.testing.Backup;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.BehindNetwork;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Instances;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Reloads;
import io.github.slotbloom.testing.Sleeper;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Trap;
import io.github.slotbloom.testing.Use;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * An older backup was restored, or a failover lost commits, while processes have a filter open.
 * What they know goes further than the database then, or elsewhere. They notice, and answer for
 * what the database holds now.
 */
@DatabaseContract
@Timeout(180)
@PossibleLog(KnownLogs.MIRROR_RELOADED)
@PossibleLog(KnownLogs.FOLDING_FAILED)
class RestoredIT {

  private static final Use USE = Use.MIRRORED;

  @Fixture private static TestSchema schema;
  @Fixture private static Instances instances;
  @Fixture private static SlotBloom here;
  private static SlotBloom there;
  private static Sql sql;
  private static DataSource byHand;
  private static Reloads reloads;

  @BeforeDatabase
  static void migrate() {
    byHand = schema.pool(pool -> pool.setMaximumPoolSize(3));
    sql = new Sql(byHand);
    reloads = new Reloads();
    there = instances.another(pool -> {}, bloom -> bloom.listener(reloads));
  }

  private static BloomFilter<String> reserveWithThreeKeys(String name) {
    BloomFilter<String> filter = USE.reserve(here, name);
    for (String key : List.of("a", "b", "c")) {
      assertThat(filter.add(key)).isTrue();
    }
    here.admin(filter.name()).fold();
    return filter;
  }

  @Test
  void everyProcessForgetsKeysThatARestoreLost() throws SQLException {
    String name = "restored";
    BloomFilter<String> mine = reserveWithThreeKeys(name);
    BloomFilter<String> theirs = USE.open(there, name);
    BloomFilter<String> bounded = Use.openBounded(there, name, Duration.ofMinutes(1));
    Backup backup = Backup.of(byHand, name);
    assertThat(mine.addEach(List.of("d", "e"))).containsOnly(true);
    here.admin(mine.name()).fold();
    assertThat(mine.add("unfolded")).isTrue();
    List<String> lost = List.of("d", "e", "unfolded");
    assertThat(theirs.mightContainEach(lost)).containsOnly(true);
    await().atMost(Duration.ofSeconds(60)).until(() -> bounded.mightContain("unfolded"));

    backup.restore(byHand);

    for (BloomFilter<String> filter : List.of(mine, theirs)) {
      assertThat(filter.mightContain("never added")).isFalse();
      assertThat(filter.mightContainEach(lost)).containsOnly(false);
      assertThat(filter.mightContainEach(List.of("a", "b", "c"))).containsOnly(true);
    }
    // Nothing but the heartbeat, or the end of the lease, makes this one look.
    await().atMost(Duration.ofSeconds(60)).until(() -> !bounded.mightContain("unfolded"));
    assertThat(reloads.of(name))
        .hasSize(2)
        .allMatch(reason -> reason.contains("restored from a backup"));
    assertThat(theirs.add("d")).isTrue();
    assertThat(mine.add("d")).isFalse();
    assertThat(bounded.add("d")).isFalse();
    here.admin(mine.name()).fold();
    assertThat(here.info(mine.name()).keysAdded()).isEqualTo(4);
    assertThat(here.open(name, KeyType.text()).mightContainEach(List.of("a", "b", "c", "d", "e")))
        .containsExactly(true, true, true, true, false);
  }

  @Test
  void entriesWrittenPastTheCursorAfterAFailoverAreSeenAtOnce() throws Exception {
    String name = "failed_over";
    BloomFilter<String> mine = reserveWithThreeKeys(name);
    Backup replica = Backup.of(byHand, name);
    Reloads told = new Reloads();
    try (Sleeper sleeper = new Sleeper(schema, told)) {
      mine.add("lost");
      mine.add("lost too");
      // With equal options they would share a mirror.
      BloomFilter<String> asks = USE.open(sleeper.bloom(), name, Duration.ofSeconds(30));
      BloomFilter<String> adds = USE.open(sleeper.bloom(), name, Duration.ofSeconds(31));
      BloomFilter<String> adds2 = USE.open(sleeper.bloom(), name, Duration.ofSeconds(32));
      BloomFilter<String> joins = USE.open(sleeper.bloom(), name, Duration.ofSeconds(33));
      sleeper.sleep();
      try (Connection other = byHand.getConnection()) {
        other.setAutoCommit(false);
        replica.restore(other);
        for (int i = 0; i < 3; i++) {
          ByHand.append(other, name, "key " + i, 4711 + i);
        }
        other.commit();
      }
      try (Connection transaction = byHand.getConnection()) {
        transaction.setAutoCommit(false);
        assertThatThrownBy(() -> joins.within(transaction).add("key 0"))
            .isInstanceOf(WriteFailedException.class)
            .hasMessageContaining("filter " + name)
            .hasMessageContaining("Roll back the transaction and repeat all of it");
        transaction.rollback();
      }
      sleeper.wake();
      assertThat(adds.add("key 0")).isFalse();
      assertThat(adds2.addAsync("key 2").get(60, TimeUnit.SECONDS)).isFalse();
      assertThat(asks.mightContainEach(List.of("key 0", "key 1", "key 2", "a"))).containsOnly(true);
      assertThat(asks.mightContain("lost")).isFalse();
      try (Connection transaction = byHand.getConnection()) {
        transaction.setAutoCommit(false);
        // The mirror may still be loading.
        joins.mightContain("never added");
        assertThat(joins.within(transaction).addEach(List.of("key 0", "lost")))
            .containsExactly(false, true);
        transaction.commit();
      }
      for (BloomFilter<String> filter : List.of(asks, adds, adds2, mine)) {
        assertThat(filter.add("lost")).isFalse();
      }
      assertThat(adds.add("lost too")).isTrue();
      assertThat(told.of(name))
          .hasSize(4)
          .allMatch(reason -> reason.contains("lost in a failover"));
      assertThat(here.info(mine.name()).keysAdded()).isEqualTo(3 + 3 + 2);
    }
  }

  @Test
  void theListenerHearsThatAFailoverLostAClear() throws SQLException {
    String name = "clear_lost";
    BloomFilter<String> mine = reserveWithThreeKeys(name);
    Backup replica = Backup.of(byHand, name);
    BloomFilter<String> theirs = there.open(name, KeyType.text());
    here.admin(mine.name()).clear();
    assertThat(theirs.mightContain("a")).isFalse();
    replica.restore(byHand);
    assertThat(theirs.mightContainEach(List.of("a", "b", "c", "z")))
        .containsExactly(true, true, true, false);
    assertThat(theirs.add("a")).isFalse();
    assertThat(reloads.of(name)).hasSize(2);
    assertThat(reloads.of(name).get(0)).endsWith("it was cleared");
    assertThat(reloads.of(name).get(1))
        .contains("which ends at entry 3, does not continue entry 4", "lost in a failover");
  }

  @Test
  void aFilterMissingInTheBackupIsNotMistakenForTheNextWithItsId() throws Exception {
    String name = "young";
    String heirName = "heir";
    BloomFilter<String> young = USE.reserve(there, name);
    assertThat(young.add("a")).isTrue();
    here.admin(young.name()).fold();
    long id = here.info(young.name()).id();
    BloomFilter<String> heir =
        here.reserve(
            heirName, FilterSpec.builder(KeyType.text()).capacity(50).build(), USE.options());
    long heirId = here.info(heir.name()).id();
    heir.close();
    String slots = sql.slots(heirName, 1);
    try (Connection restore = byHand.getConnection()) {
      restore.setAutoCommit(false);
      Sql.run(restore, "DELETE FROM bloom_filter WHERE id = ?", id);
      Sql.run(restore, "UPDATE bloom_filter SET id = ? WHERE id = ?", id, heirId);
      for (String table : List.of("bloom_table", "bloom_fold", "bloom_journal")) {
        Sql.run(restore, "DELETE FROM " + table + " WHERE filter_id = ?", id);
        Sql.run(restore, "UPDATE " + table + " SET filter_id = ? WHERE filter_id = ?", id, heirId);
      }
      // Entries that the folder of the other process sees.
      for (int i = 0; i < 3; i++) {
        ByHand.append(restore, heirName, "key " + i, 4711 + i);
      }
      restore.commit();
    }
    sql.run("RENAME TABLE " + slots + " TO " + sql.slots(heirName, 1));

    assertThatThrownBy(() -> young.mightContain("key 0"))
        .isInstanceOf(FilterNotFoundException.class)
        .hasMessageContaining("Filter " + name);
    assertThatThrownBy(() -> young.add("b")).isInstanceOf(FilterNotFoundException.class);
    assertThatThrownBy(() -> young.addEach(List.of("b", "c")))
        .isInstanceOf(FilterNotFoundException.class);
    assertThatThrownBy(() -> young.addAsync("b").get(60, TimeUnit.SECONDS))
        .hasCauseInstanceOf(FilterNotFoundException.class);
    try (Connection transaction = byHand.getConnection()) {
      transaction.setAutoCommit(false);
      assertThatThrownBy(() -> young.within(transaction).add("b"))
          .isInstanceOf(FilterNotFoundException.class);
      transaction.rollback();
    }
    assertThat(sql.number("SELECT folded_seq FROM bloom_fold WHERE filter_id = ?", id)).isZero();

    BloomFilter<String> opened = USE.open(here, heirName);
    here.admin(opened.name()).fold();
    assertThat(opened.mightContainEach(List.of("key 0", "key 1", "key 2"))).containsOnly(true);
    assertThat(opened.add("key 0")).isFalse();
    assertThat(here.info(opened.name()).keysAdded()).isEqualTo(3);
    assertThat(here.info(opened.name()).estimatedKeys()).isBetween(2.5, 3.5);
  }

  /** The journal holds everything still; the slots do not. */
  @Test
  void aMirrorLoadedWhileAFailoverLosesAFoldHoldsAllKeys() throws Exception {
    BloomFilter<String> mine = reserveWithThreeKeys("unfolded");
    long id = here.info(mine.name()).id();
    mine.close();
    try (BehindNetwork sleeper = new BehindNetwork(schema)) {
      Trap scan = sleeper.network().trap(Trap.Place.BEFORE_SERVER, "GROUP_CONCAT\\(");
      CompletableFuture<BloomFilter<String>> opened =
          CompletableFuture.supplyAsync(() -> sleeper.bloom().open("unfolded", KeyType.text()));
      scan.caught().get(60, TimeUnit.SECONDS);
      try (Connection failover = ByHand.transaction(byHand.getConnection())) {
        Sql.run(failover, "UPDATE bloom_fold SET folded_seq = 0 WHERE filter_id = ?", id);
        Sql.run(failover, "DELETE FROM " + sql.slots("unfolded", 1));
        failover.commit();
      }
      scan.release();
      assertThat(opened.get(60, TimeUnit.SECONDS).mightContainEach(List.of("a", "b", "c")))
          .containsOnly(true);
    }
  }
}
