package io.github.slotbloom.internal.admin;

import static io.github.slotbloom.testing.FilterNames.newName;
import static io.github.slotbloom.testing.Keys.assertHolds;
import static io.github.slotbloom.testing.Keys.keys;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterExistsException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.testing.BehindNetwork;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Instances;
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
    here.admin(filter.name()).fold();
    return filter;
  }

  private static void assertSound(String name) {
    assertThat(here.admin(name).verify(VerifyOptions.defaults()).findings()).isEmpty();
  }

  @Test
  void aHeldLockIsNamed() throws SQLException {
    String name = newName();
    reserveWithA(Use.MIRRORED, name).close();
    try (Connection lock = ByHand.holdingLockOf(name, schema.dataSource().getConnection())) {
      // Both wait for seconds, so they do at the same time.
      CompletableFuture<Throwable> growing =
          CompletableFuture.supplyAsync(() -> catchThrowable(() -> there.admin(name).grow(9000)));
      assertThatThrownBy(() -> here.admin(name).rename(newName()))
          .isInstanceOf(FilterUnavailableException.class)
          .hasMessageContainingAll(name, "its lock is held", "rename the filter again");
      assertThat(growing.join())
          .isInstanceOf(FilterUnavailableException.class)
          .hasMessageContainingAll(name, "transaction", "grow the filter again");
      lock.rollback();
    }
    assertThat(here.names()).contains(name);
  }

  /** As a server may hold it that stands still for longer than its statements wait for a lock. */
  @Test
  void aLockThatIsHeldForLongIsWaitedForOnceMore() throws Exception {
    String name = newName();
    String newName = newName();
    reserveWithA(Use.MIRRORED, name).close();
    try (Connection lock = ByHand.holdingLockOf(name, schema.dataSource().getConnection());
        BehindNetwork far = new BehindNetwork(schema, pool -> pool.setMaximumPoolSize(4))) {
      Trap again =
          far.network()
              .trap(Trap.Place.BEFORE_SERVER, "select.* from .bloom_filter.* for update", 1);
      CompletableFuture<Void> renaming =
          CompletableFuture.runAsync(() -> far.bloom().admin(name).rename(newName));
      again.caught().get(60, TimeUnit.SECONDS);
      lock.rollback();
      again.release();
      renaming.get(60, TimeUnit.SECONDS);
    }
    assertThat(here.names()).contains(newName).doesNotContain(name);
  }

  /** Its process wrote last, so it takes no lock of its own. */
  @Test
  void anAddThatArrivesLateIsNotRecorded() throws Exception {
    String name = newName();
    String newName = newName();
    reserveWithA(Use.MIRRORED, name).close();
    try (BehindNetwork far = new BehindNetwork(schema, pool -> pool.setMaximumPoolSize(4))) {
      BloomFilter<String> old = Use.MIRRORED.open(far.bloom(), name);
      old.addEach(List.of("b", "c"));
      old.add("d");
      Trap trap =
          far.network().trap(Trap.Place.BEFORE_SERVER, "insert.* into .bloom_journal.*nowait");
      CompletableFuture<Boolean> adding = CompletableFuture.supplyAsync(() -> old.add("late"));
      trap.caught().get(60, TimeUnit.SECONDS);
      there.admin(name).rename(newName);
      trap.release();
      assertThatThrownBy(() -> adding.get(60, TimeUnit.SECONDS))
          .hasCauseInstanceOf(FilterNotFoundException.class)
          .hasMessageContaining("was renamed to " + newName);
    }
    BloomFilter<String> renamed = here.open(newName, KeyType.text());
    assertThat(renamed.mightContainEach(List.of("b", "c", "d", "late")))
        .containsExactly(true, true, true, false);
    assertThat(here.info(renamed.name()).keysAdded()).isEqualTo(4);
  }

  /** A table that somebody made by the old name belongs to the filter, and holds keys by then. */
  @Test
  void aGrowthByTheOldNameDropsNoTable() throws Exception {
    String name = newName();
    String newName = newName();
    reserveWithA(Use.MIRRORED, name).close();
    try (BehindNetwork far = new BehindNetwork(schema)) {
      Trap trap =
          far.network().trap(Trap.Place.BEFORE_CLIENT, "create table.*" + sql.slots(name, 2));
      CompletableFuture<Void> growing =
          CompletableFuture.runAsync(() -> far.bloom().admin(name).grow(9000));
      trap.caught().get(60, TimeUnit.SECONDS);
      there.admin(name).rename(newName);
      there.admin(newName).grow(9000);
      BloomFilter<String> renamed = there.open(newName, KeyType.text());
      renamed.addEach(keys("b", 100));
      here.admin(renamed.name()).fold();
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
              bloom.admin(names.get(number)).rename(wanted);
            }
            got.incrementAndGet();
          } catch (FilterExistsException e) {
            assertThat(e).hasMessageContaining("Filter " + wanted);
          }
        });
    assertThat(got).hasValue(1);
    assertThat(here.names()).contains(wanted);
    assertSound(wanted);
    assertThat(names.stream().filter(here.names()::contains).count())
        .isEqualTo(here.open(wanted, KeyType.text()).mightContain("a") ? 2 : 3);
  }
}
