package io.github.slotbloom.internal.admin;

import static io.github.slotbloom.testing.FilterNames.newName;
import static io.github.slotbloom.testing.Keys.assertHolds;
import static io.github.slotbloom.testing.Keys.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterExistsException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.SlotBloomException;
import io.github.slotbloom.testing.BehindNetwork;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.Crowd;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Instances;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.LockWaits;
import io.github.slotbloom.testing.LostCommit;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TappedConnections;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Trap;
import io.github.slotbloom.testing.Use;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What others do while a filter is renamed, and what is lost on the way. */
@DatabaseContract(shortLeases = true)
@Timeout(300)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
@PossibleLog(KnownLogs.MIRROR_RELOADED)
@PossibleLog(KnownLogs.SELF_GROWTH_FAILED)
class RenameFaultsIT {

  @Fixture private static TestSchema schema;
  @Fixture private static Instances instances;
  @Fixture private static SlotBloom here;
  @Fixture private static SlotBloom there;
  @Fixture private static Sql sql;

  private static BloomFilter<String> reserveWithA(Use use, String name) {
    BloomFilter<String> filter = use.reserve(here, name);
    filter.add("a");
    filter.fold();
    return filter;
  }

  private static void assertSound(String name) {
    assertThat(here.admin().verify(name, VerifyOptions.defaults()).findings()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void aRenameWhoseCommitGotNoAnswerIsDone(LostCommit fate) throws Exception {
    String name = newName();
    String newName = newName();
    reserveWithA(Use.MIRRORED, name).close();
    try (BehindNetwork far = new BehindNetwork(schema)) {
      CompletableFuture<Trap> commit =
          far.trapCommitAfter("update .bloom_filter.*.name. = ", fate.place);
      CompletableFuture<Void> renaming =
          CompletableFuture.runAsync(() -> far.bloom().admin().rename(name, newName));
      Trap trap = commit.get(60, TimeUnit.SECONDS);
      trap.caught().get(60, TimeUnit.SECONDS);
      if (fate.place == Trap.Place.BEFORE_SERVER) {
        trap.hangUpOnClient();
        // The transaction that is still there has the lock on the new name.
        LockWaits.awaitOne("%bloom_name%", sql);
      }
      if (fate == LostCommit.CARRIED_OUT_LATE) {
        trap.release();
      } else {
        trap.cut();
      }
      renaming.get(60, TimeUnit.SECONDS);
    }
    assertThat(here.list()).contains(newName).doesNotContain(name);
    assertHolds(here.open(newName, KeyType.text()), List.of("a"));
  }

  @Test
  void aHeldLockIsNamed() throws SQLException {
    String name = newName();
    reserveWithA(Use.MIRRORED, name).close();
    try (Connection lock = ByHand.holdingLockOf(name, schema.dataSource().getConnection())) {
      assertThatThrownBy(() -> here.admin().rename(name, newName()))
          .isInstanceOf(FilterUnavailableException.class)
          .hasMessageContainingAll(name, "its lock is held", "rename the filter again");
      lock.rollback();
    }
    assertThat(here.list()).contains(name);
  }

  /** Its process wrote last, so it takes no lock of its own. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anAddThatArrivesLateIsNotRecorded(boolean renamedBefore) throws Exception {
    String made = newName();
    String name = renamedBefore ? newName() : made;
    String newName = newName();
    reserveWithA(Use.MIRRORED, made).close();
    if (renamedBefore) {
      // So the format of the filter does not change, which would refuse the statement as well.
      here.admin().rename(made, name);
    }
    try (BehindNetwork far = new BehindNetwork(schema, pool -> pool.setMaximumPoolSize(4))) {
      BloomFilter<String> old = Use.MIRRORED.open(far.bloom(), name);
      old.addEach(List.of("b", "c"));
      old.add("d");
      Trap trap =
          far.network().trap(Trap.Place.BEFORE_SERVER, "insert into .bloom_journal.*nowait");
      CompletableFuture<Boolean> adding = CompletableFuture.supplyAsync(() -> old.add("late"));
      trap.caught().get(60, TimeUnit.SECONDS);
      there.admin().rename(name, newName);
      trap.release();
      assertThatThrownBy(() -> adding.get(60, TimeUnit.SECONDS))
          .hasCauseInstanceOf(FilterNotFoundException.class)
          .hasMessageContaining("was renamed to " + newName);
    }
    BloomFilter<String> renamed = here.open(newName, KeyType.text());
    assertThat(renamed.mightContainEach(List.of("b", "c", "d", "late")))
        .containsExactly(true, true, true, false);
    assertThat(renamed.info().keysAdded()).isEqualTo(4);
  }

  /** The answer to the COMMIT of an add is lost, and the filter renamed before it is looked up. */
  @ParameterizedTest
  @ValueSource(strings = {"COMMIT", "ROLLBACK"})
  void anAddWhoseCommitGotNoAnswerIsLookedUpInTheRenamedFilter(String end) throws SQLException {
    String name = newName();
    String newName = newName();
    reserveWithA(Use.MIRRORED, name).close();
    long id = here.info(name).id();
    long before = here.info(name).lastSequence();
    TappedConnections database =
        new TappedConnections(schema.pool(pool -> pool.setMaximumPoolSize(4)));
    try (SlotBloom bloom = SlotBloom.on(database.dataSource())) {
      BloomFilter<String> old = Use.MIRRORED.open(bloom, name);
      database.loseCommit(
          "SELECT last_seq > " + before + " FROM bloom_journal WHERE seq = 0 AND filter_id = " + id,
          commit -> {
            commit.execute(end);
            there.admin().rename(name, newName);
          });
      if (end.equals("COMMIT")) {
        assertThat(old.add("b")).isTrue();
      } else {
        assertThatThrownBy(() -> old.add("b"))
            .isInstanceOf(FilterNotFoundException.class)
            .hasMessageContaining("was renamed to " + newName);
      }
    }
    BloomFilter<String> renamed = here.open(newName, KeyType.text());
    assertThat(renamed.mightContainEach(List.of("a", "b")))
        .containsExactly(true, end.equals("COMMIT"));
    assertThat(renamed.info().keysAdded()).isEqualTo(end.equals("COMMIT") ? 2 : 1);
  }

  /** A table that somebody made by the old name belongs to the filter, and holds keys by then. */
  @Test
  void aGrowthByTheOldNameDropsNoTable() throws Exception {
    String name = newName();
    String newName = newName();
    reserveWithA(Use.MIRRORED, name).close();
    try (BehindNetwork far = new BehindNetwork(schema)) {
      Trap trap =
          far.network().trap(Trap.Place.BEFORE_CLIENT, "create table.*bloom_bits_" + name + "_v2");
      CompletableFuture<Void> growing =
          CompletableFuture.runAsync(() -> far.bloom().admin().grow(name, 9000));
      trap.caught().get(60, TimeUnit.SECONDS);
      there.admin().rename(name, newName);
      there.admin().grow(newName, 9000);
      BloomFilter<String> renamed = there.open(newName, KeyType.text());
      renamed.addEach(keys("b", 100));
      renamed.fold();
      trap.release();
      assertThatThrownBy(() -> growing.get(60, TimeUnit.SECONDS))
          .hasCauseInstanceOf(FilterNotFoundException.class)
          .hasMessageContaining("was renamed to " + newName);
    }
    assertThat(here.info(newName).generations()).hasSize(2);
    assertHolds(Use.DIRECT.open(here, newName), keys("b", 100));
    assertSound(newName);
  }

  @Test
  void ofManyWhoRenameAFilterOneSucceeds() throws InterruptedException {
    String name = newName();
    reserveWithA(Use.MIRRORED, name).close();
    List<String> names = List.of(newName(), newName(), newName(), newName());
    List<String> given = Collections.synchronizedList(new ArrayList<>());
    AtomicInteger next = new AtomicInteger();
    instances.atOnce(
        names.size(),
        bloom -> {
          String mine = names.get(next.getAndIncrement());
          try {
            bloom.admin().rename(name, mine);
            given.add(mine);
          } catch (FilterNotFoundException e) {
            assertThat(e).hasMessageContaining(name);
          }
        });
    assertThat(given).hasSize(1);
    assertThat(here.list()).contains(given.get(0)).doesNotContain(name);
    assertHolds(here.open(given.get(0), KeyType.text()), List.of("a"));
  }

  @Test
  void ofManyWhoWantOneNameOneGetsIt() throws InterruptedException {
    String wanted = newName();
    List<String> names = List.of(newName(), newName(), newName());
    names.forEach(name -> reserveWithA(Use.MIRRORED, name).close());
    AtomicInteger next = new AtomicInteger();
    AtomicInteger got = new AtomicInteger();
    instances.atOnce(
        names.size() + 1,
        bloom -> {
          int number = next.getAndIncrement();
          try {
            if (number == names.size()) {
              Use.MIRRORED.reserve(bloom, wanted);
            } else {
              bloom.admin().rename(names.get(number), wanted);
            }
            got.incrementAndGet();
          } catch (FilterExistsException e) {
            assertThat(e).hasMessageContaining("Filter " + wanted);
          }
        });
    assertThat(got).hasValue(1);
    assertThat(here.list()).contains(wanted);
    assertSound(wanted);
    assertThat(names.stream().filter(here.list()::contains).count())
        .isEqualTo(here.open(wanted, KeyType.text()).mightContain("a") ? 2 : 3);
  }

  /** At each moment the filter is found under one name, and keys are added by either. */
  @Test
  void nobodyFindsBothNamesOrNoneAndNothingIsLost() throws Exception {
    String first = newName();
    String second = newName();
    reserveWithA(Use.MIRRORED, first).close();
    List<String> acknowledged = Collections.synchronizedList(new ArrayList<>());
    CompletableFuture<Void> renaming =
        CompletableFuture.runAsync(
            () -> {
              for (int i = 0; i < 3; i++) {
                here.admin().rename(first, second);
                here.admin().rename(second, first);
              }
            });
    AtomicInteger looked = new AtomicInteger();
    Crowd crowd =
        Crowd.of(
            3,
            number -> {
              for (int i = 0; !renaming.isDone(); i++) {
                if (number == 0) {
                  assertThat(
                          sql.number(
                              "SELECT COUNT(*) FROM bloom_filter WHERE name IN (?, ?)",
                              first,
                              second))
                      .isOne();
                  looked.incrementAndGet();
                } else {
                  add("key " + number + " " + i, first, second, number, acknowledged);
                }
              }
            });
    renaming.get(60, TimeUnit.SECONDS);
    crowd.join(Duration.ofSeconds(60));
    assertThat(looked.get()).isPositive();
    assertThat(acknowledged).isNotEmpty();
    BloomFilter<String> filter = there.open(first, KeyType.text());
    assertHolds(filter, acknowledged);
    filter.fold();
    assertSound(first);
  }

  private static void add(
      String key, String first, String second, int number, List<String> acknowledged) {
    Use use = number == 1 ? Use.MIRRORED : Use.DIRECT;
    for (String name : List.of(first, second)) {
      try (BloomFilter<String> filter = use.open(there, name)) {
        for (int i = 0; i < 20; i++) {
          assertThat(filter.add(key + " " + name + " " + i)).isTrue();
          acknowledged.add(key + " " + name + " " + i);
        }
      } catch (FilterNotFoundException e) {
        assertThat(e).hasMessageContaining(name);
      }
    }
  }

  /** A wait that is cut off leaves a filter that has its new name. */
  @Test
  void anInterruptedWaitTellsThatTheFilterIsRenamed() throws Exception {
    String name = newName();
    String newName = newName();
    reserveWithA(Use.MIRRORED, name).close();
    sql.run("UPDATE bloom_filter SET lease_millis = 30000 WHERE name = ?", name);
    CompletableFuture<SlotBloomException> failure = new CompletableFuture<>();
    Thread renaming =
        new Thread(
            () -> {
              try {
                here.admin().rename(name, newName);
                failure.completeExceptionally(new AssertionError("nothing was thrown"));
              } catch (SlotBloomException e) {
                failure.complete(e);
              }
            });
    renaming.start();
    await().until(() -> there.list().contains(newName));
    // Once the transaction has been answered.
    await().until(() -> renaming.getState() == Thread.State.TIMED_WAITING);
    renaming.interrupt();
    SlotBloomException told = failure.get(60, TimeUnit.SECONDS);
    assertThat(told)
        .isInstanceOf(FilterUnavailableException.class)
        .hasMessageContaining("was renamed to " + newName);
    assertThat(there.open(newName, KeyType.text()).mightContain("a")).isTrue();
  }
}
