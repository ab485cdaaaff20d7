package io.github.slotbloom.internal.replace;

import static io.github.slotbloom.testing.FilterNames.newName;
import static io.github.slotbloom.testing.Keys.keys;
import static io.github.slotbloom.testing.Keys.missing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.ReplacementException;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import io.github.slotbloom.testing.BehindNetwork;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.HeldReplacement;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.LockWaits;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.Trap;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A key that a filter wrongly took for seen is in no generation. It is not lost either when a
 * replacement passes by between the answer and the moment at which its source has the key.
 */
@DatabaseContract(shortLeases = true)
@Timeout(300)
@PossibleLog(KnownLogs.SELF_GROWTH_FAILED)
@Tag("mysql")
class AcrossReplacementIT {

  private static final long LARGER = 100_000;

  @Fixture private static TestSchema schema;
  @Fixture private static SlotBloom here;
  @Fixture private static SlotBloom there;
  @Fixture private static Sql sql;

  /**
   * A small filter that errs often, the table of an application that its keys are in, and keys that
   * the filter wrongly takes for seen.
   */
  private static final class Erring implements AutoCloseable {
    final String name = newName();
    final List<String> before = keys("before ", 200);
    final List<String> colliding;
    final BloomFilter<String> mine;
    final BloomFilter<String> theirs;

    Erring() throws SQLException {
      FilterSpec<String> spec =
          FilterSpec.builder(KeyType.text()).capacity(200).falsePositiveRate(0.5).build();
      mine = here.reserve(name, spec);
      theirs = there.open(name, KeyType.text());
      mine.addEach(before);
      sql.run("CREATE TABLE pages_" + name + " (page VARCHAR(40) PRIMARY KEY)");
      try (Connection connection = begin(Connection.TRANSACTION_READ_COMMITTED)) {
        for (String page : before) {
          insert(connection, page);
        }
        connection.commit();
      }
      colliding =
          IntStream.range(0, 100_000)
              .mapToObj(i -> "collides " + i)
              .filter(theirs::mightContain)
              .limit(20)
              .toList();
      assertThat(colliding).hasSize(20);
    }

    void insert(Connection connection, String page) throws SQLException {
      Sql.run(connection, "INSERT INTO pages_" + name + " VALUES (?)", page);
    }

    /**
     * Adds a key that is taken for seen. A process whose lease has ended, as on a machine with much
     * to do, locks the filter to find that out. Then it is done again.
     */
    void addFromMemory(Connection connection, String page) {
      await()
          .until(
              () -> {
                connection.rollback();
                insert(connection, page);
                assertThat(theirs.within(connection).add(page)).isFalse();
                return isUnlocked();
              });
    }

    private boolean isUnlocked() throws SQLException {
      try (Connection another = begin(Connection.TRANSACTION_READ_COMMITTED)) {
        Sql.run(another, "SELECT id FROM bloom_filter WHERE name = ? FOR UPDATE NOWAIT", name);
        another.rollback();
        return true;
      } catch (SQLException e) {
        if (!DatabaseFailure.of(e).lockNotFree()) {
          throw e;
        }
        return false;
      }
    }

    /** The table as it is committed. */
    KeySource pages() {
      return KeySource.query(
          KeyType.text(),
          schema.dataSource(),
          "SELECT page FROM pages_" + name + " ORDER BY page",
          row -> row.getString(1));
    }

    CompletableFuture<Void> replaceFromPages() {
      return CompletableFuture.runAsync(
          () -> here.admin(name).replace(LARGER, pages(), ReplaceOptions.defaults()));
    }

    @Override
    public void close() {
      theirs.close();
      mine.close();
    }
  }

  private static Connection begin(int isolation) throws SQLException {
    return ByHand.transaction(schema.dataSource().getConnection(), isolation);
  }

  /** Returns once keys that are added now are not of those that the source has to bring. */
  private static void awaitBegun(CompletableFuture<?> replacing, Erring filter) {
    await().until(() -> replacing.isDone() || here.admin(filter.name).replacement().isPresent());
  }

  /** Returns once it came to its end, or waits for a lock. */
  private static void awaitEndOrLockWait(CompletableFuture<?> working) {
    LockWaits.looking()
        .until(
            () ->
                working.isDone()
                    || LockWaits.isOne("%bloom_table%", sql)
                    || LockWaits.isOne("%bloom_filter%", sql));
  }

  /** Without a mirror every add takes the lock of the head. */
  @ParameterizedTest
  @ValueSource(
      ints = {Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_READ_COMMITTED})
  void aTransactionAcrossAReplacementLosesNoKey(int isolation) throws Exception {
    try (Erring filter = new Erring();
        Connection connection = begin(isolation)) {
      List<String> colliding = filter.colliding;
      for (String page : colliding) {
        filter.insert(connection, page);
      }
      assertThat(filter.theirs.within(connection).add(colliding.get(0))).isFalse();
      Sql.run(connection, "SAVEPOINT own");
      assertThat(filter.theirs.within(connection).addEach(colliding.subList(1, 10)))
          .containsOnly(false);
      Sql.run(connection, "ROLLBACK TO SAVEPOINT own");
      assertThat(filter.theirs.within(connection).addEach(colliding.subList(10, 20)))
          .containsOnly(false);

      CompletableFuture<Void> replacing = filter.replaceFromPages();
      awaitEndOrLockWait(replacing);
      connection.commit();
      replacing.get(60, TimeUnit.SECONDS);

      assertThat(missing(filter.mine, colliding)).isEmpty();
      assertThat(missing(filter.theirs, colliding)).isEmpty();
      assertThat(missing(filter.theirs, filter.before)).isEmpty();
    }
  }

  /** Whoever knows of the replacement shares no row that it waits for. */
  @Test
  void addsWithoutAMirrorDoNotQueueBehindAWaitingReplacement() throws Exception {
    try (Erring filter = new Erring();
        BloomFilter<String> direct =
            there.open(filter.name, KeyType.text(), FilterOptions.defaults().withoutMirror());
        Connection connection = begin(Connection.TRANSACTION_READ_COMMITTED);
        Connection another = begin(Connection.TRANSACTION_READ_COMMITTED)) {
      filter.addFromMemory(connection, filter.colliding.get(0));
      assertThat(filter.mine.within(another).add(filter.colliding.get(1)))
          .as("those who are answered so wait for nobody")
          .isFalse();
      another.rollback();
      CompletableFuture<Void> replacing = filter.replaceFromPages();
      awaitBegun(replacing, filter);
      awaitEndOrLockWait(replacing);
      assertThat(replacing).isNotDone();

      Sql.run(another, "SET SESSION innodb_lock_wait_timeout = 2");
      direct.within(another).addEach(keys("meanwhile ", 10));
      assertThat(filter.mine.within(another).addEach(keys("meanwhile ", 10))).containsOnly(false);
      another.commit();
      assertThat(filter.theirs.addEach(keys("more ", 100))).contains(true);
      assertThat(filter.mine.addEach(keys("more ", 100))).containsOnly(false);
      assertThat(replacing).isNotDone();
      connection.commit();
      replacing.get(60, TimeUnit.SECONDS);
      assertThat(filter.mine.mightContain(filter.colliding.get(0))).isTrue();
      assertThat(missing(filter.mine, keys("meanwhile ", 10))).isEmpty();
      assertThat(missing(filter.theirs, keys("more ", 100))).isEmpty();
    }
  }

  /** The transaction shares the row of a generation, which neither of them changes. */
  @Test
  void neitherGrowthNorAClearWaitsForATransactionThatAddedFromMemory() throws Exception {
    try (Erring filter = new Erring();
        Connection connection = begin(Connection.TRANSACTION_READ_COMMITTED)) {
      filter.addFromMemory(connection, filter.colliding.get(0));
      CompletableFuture.runAsync(() -> here.admin(filter.name).grow(9000))
          .get(60, TimeUnit.SECONDS);
      assertThat(filter.mine.addEach(keys("grown ", 100))).contains(true);
      CompletableFuture.runAsync(() -> here.admin(filter.name).clear()).get(60, TimeUnit.SECONDS);
      assertThat(filter.mine.addEach(keys("cleared ", 100))).contains(true);
      connection.rollback();
    }
  }

  /** What one replacement took in is gone with it, and the next one has to bring it. */
  @Test
  void aTransactionAcrossAnAbandonedReplacementLosesNoKey() throws Exception {
    try (Erring filter = new Erring();
        Connection connection = begin(Connection.TRANSACTION_READ_COMMITTED)) {
      String key = filter.colliding.get(0);
      CompletableFuture<Void> second;
      try (HeldReplacement first = new HeldReplacement(here, filter.name, LARGER, filter.before)) {
        assertThat(filter.theirs.add(key)).isFalse();
        filter.insert(connection, key);
        assertThat(filter.theirs.within(connection).add(key)).isFalse();
        second =
            CompletableFuture.runAsync(() -> there.admin(filter.name).abortReplacement())
                .thenCompose(done -> filter.replaceFromPages());
        awaitEndOrLockWait(second);
        connection.commit();
        assertThatThrownBy(first::finish).hasCauseInstanceOf(ReplacementException.class);
      }
      second.get(60, TimeUnit.SECONDS);
      assertThat(filter.theirs.mightContain(key)).isTrue();
    }
  }

  /** Of its keys one was known to be seen before it waited, and is nowhere when it returns. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aListThatWaitsDuringAReplacementLosesNoKey(boolean newKeyFirst) throws Exception {
    try (Erring filter = new Erring();
        BehindNetwork late = new BehindNetwork(schema, pool -> pool.setMaximumPoolSize(4));
        BloomFilter<String> slow = late.bloom().open(filter.name, KeyType.text())) {
      String key = filter.colliding.get(0);
      assertThat(slow.mightContain(key)).isTrue();
      String fresh =
          keys("fresh ", 1000).stream()
              .filter(k -> !slow.mightContain(k))
              .findFirst()
              .orElseThrow();
      Trap trap = late.network().trap(Trap.Place.BEFORE_SERVER, "for update");
      List<String> list = newKeyFirst ? List.of(fresh, key) : List.of(key, fresh);
      CompletableFuture<boolean[]> adding = CompletableFuture.supplyAsync(() -> slow.addEach(list));
      trap.caught().get(60, TimeUnit.SECONDS);
      filter.replaceFromPages().get(60, TimeUnit.SECONDS);
      trap.release();
      boolean[] answers = adding.get(60, TimeUnit.SECONDS);
      assertThat(answers[list.indexOf(fresh)]).isTrue();
      assertThat(missing(filter.mine, List.of(key, fresh))).isEmpty();
      assertThat(missing(slow, List.of(key, fresh))).isEmpty();
    }
  }
}
