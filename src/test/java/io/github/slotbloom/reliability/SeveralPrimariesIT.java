package io.github.slotbloom.reliability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterAdmin;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.PrimaryDataSource;
import io.github.slotbloom.VerifyOptions;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.testing.Crowd;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.KillableGalera;
import io.github.slotbloom.testing.KillableGroup;
import io.github.slotbloom.testing.KillableServers;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestDatabase;
import io.github.slotbloom.testing.Trap;
import io.github.slotbloom.testing.Trap.Place;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/**
 * Servers that all take writes: a Galera cluster, or a replication group with several primaries.
 * Each process writes to a server of its own as long as that is there.
 */
@Tag("servers")
@DatabaseContract
@Timeout(900)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
@PossibleLog(KnownLogs.MIRROR_RELOADED)
@PossibleLog(KnownLogs.SEVERAL_PRIMARIES)
@PossibleLog("^WARN PoolBase - ")
class SeveralPrimariesIT {

  private static final int PROCESSES = 3;

  /** Writers on several servers roll each other back, so keys take their time. */
  private static final int SOME = 50;

  /**
   * MySQL 9.7.4 ends with signal 11 now and then, when the commit of another server rolls a
   * transaction at READ COMMITTED back whose statement is about to end. Both close its view.
   * Together with a server that a test has killed, that is a majority.
   */
  private static final String KNOWN_CRASH = "MVCC10view_close";

  private static @Nullable KillableServers running;
  private static @Nullable TestDatabase kind;

  @RegisterExtension
  static final TestExecutionExceptionHandler CRASHES =
      (context, failure) -> {
        if (running instanceof KillableGroup mysql) {
          List<String> crashes = mysql.crashes();
          assumeTrue(
              crashes.stream().noneMatch(log -> log.contains(KNOWN_CRASH)),
              () -> "A server crashed on its own, at a known place:\n" + crashes);
          crashes.forEach(log -> failure.addSuppressed(new IllegalStateException(log)));
        }
        throw failure;
      };

  private final KillableServers servers;
  private final boolean group;

  SeveralPrimariesIT(TestDatabase database) throws Exception {
    assumeFalse(database.isGiven(), () -> database.name() + " is one server");
    assumeTrue(
        database.isMariaDb() || DatabaseContract.LONG,
        "GroupFailoverIT shows most of this for MySQL");
    if (running == null || kind != database) {
      end();
      running =
          database.isMariaDb() ? KillableGalera.start() : KillableGroup.startWithSeveralPrimaries();
      kind = database;
    }
    servers = running;
    group = !database.isMariaDb();
  }

  @AfterAll
  static void end() throws Exception {
    if (running != null) {
      running.close();
      running = null;
    }
  }

  @AfterEach
  void endWhatIsNotWhole() throws Exception {
    if (!servers.isWhole()) {
      // A test failed on the way. The next one begins with servers of its own.
      end();
    }
  }

  /** Returns what each process connects to: first to a server that is the first of no other. */
  private List<PrimaryDataSource> oneForEach() {
    return IntStream.range(0, PROCESSES)
        .mapToObj(
            process -> {
              List<DataSource> ordered = new ArrayList<>(servers.dataSources());
              Collections.rotate(ordered, -process);
              return new PrimaryDataSource(ordered);
            })
        .toList();
  }

  @Test
  void callsOfAllKindsGoOnWithoutAServer() throws Exception {
    try (CallsOfAllKinds calls = new CallsOfAllKinds(this::oneForEach)) {
      calls.awaitProgress(SOME);
      servers.kill(0);
      calls.awaitProgress(SOME);
      servers.restart(0);
      calls.awaitProgress(SOME);
      calls.check();
    }
  }

  @Test
  void aServerThatWasFrozenDeniesNothing() throws Exception {
    try (SharedFilter shared = new SharedFilter(oneForEach(), SharedFilter.exact().build())) {
      SeparatedServer.deniesNothing(
          servers, shared, 0, servers::freeze, servers::thaw, number -> {});
    }
  }

  @Test
  void aServerWithoutAMajorityDeniesNothing() throws Exception {
    try (SharedFilter shared = new SharedFilter(oneForEach(), SharedFilter.exact().build())) {
      SeparatedServer.deniesNothing(
          servers, shared, 0, servers::cutOff, number -> {}, servers::reconnect);
    }
  }

  @Test
  @Tag("long")
  @Timeout(value = 3, unit = TimeUnit.HOURS)
  void serversFailForALongTime() throws Exception {
    try (SharedFilter shared = new SharedFilter(oneForEach(), SharedFilter.exact().build())) {
      RandomFaults.strike(servers, shared);
    }
  }

  /**
   * The process knows only the server that dies, so it cannot ask another one what became of it.
   */
  @Test
  void whatADyingServerCertifiedIsNeverCalledNotRecorded() throws Exception {
    try (SharedFilter shared = new SharedFilter(oneForEach(), SharedFilter.exact().build())) {
      for (int number = 0; number < 2; number++) {
        String prefix = "only " + number + " ";
        BloomFilter<String> filter = shared.openOn(servers.dataSources().get(number), false);
        Set<String> durable = ConcurrentHashMap.newKeySet();
        Set<String> notRecorded = ConcurrentHashMap.newKeySet();
        AtomicInteger next = new AtomicInteger();
        AtomicBoolean dead = new AtomicBoolean();
        Crowd adders =
            Crowd.of(
                4,
                thread -> {
                  while (!dead.get()) {
                    String key = prefix + next.getAndIncrement();
                    try {
                      filter.add(key);
                      durable.add(key);
                    } catch (WriteFailedException e) {
                      if (e.outcome() == WriteFailedException.Outcome.NOT_RECORDED) {
                        notRecorded.add(key);
                      }
                    }
                  }
                });
        await().atMost(SharedFilter.TIMEOUT).until(() -> durable.size() >= SOME);
        servers.kill(number);
        servers.awaitWithout(number);
        dead.set(true);
        adders.join(SharedFilter.TIMEOUT);
        BloomFilter<String> others = shared.filters().get(PROCESSES - 1);
        assertThat(durable).allMatch(others::mightContain);
        assertThat(notRecorded).noneMatch(others::mightContain);
        servers.restart(number);
      }
      assertThat(shared.admin().verify(VerifyOptions.defaults()).findings()).isEmpty();
    }
  }

  @Test
  void growthAndClearingOnOneServerHoldOnAll() throws Exception {
    FilterSpec<String> small = SharedFilter.exact().capacity(1000).build();
    try (SharedFilter shared = new SharedFilter(oneForEach(), small)) {
      List<String> keys = IntStream.range(0, 900).mapToObj(ContestedKeys::key).toList();
      FilterAdmin admin = shared.bloom(1).admin(shared.name());
      assertThat(shared.filters().get(0).filterNew(keys)).hasSize(900);
      admin.grow(ContestedKeys.CAPACITY);
      for (BloomFilter<String> filter : shared.filters()) {
        assertThat(filter.mightContainEach(keys)).doesNotContain(false);
        assertThat(filter.filterNew(keys)).isEmpty();
      }
      ContestedKeys contested = shared.contest();
      contested.awaitProgress(keys.size() + SOME);
      contested.join();
      shared.bloom(2).admin(shared.name()).clear();
      for (BloomFilter<String> filter : shared.filters()) {
        assertThat(filter.mightContainEach(keys.subList(0, 100))).doesNotContain(true);
      }
    }
  }

  /** Each takes the lock that adds need, but a lock is known to one server only. */
  @Test
  void twoServersThatBeginAGenerationAtOnceBeginTheSame() throws Exception {
    try (SharedFilter shared = new SharedFilter(oneForEach(), SharedFilter.exact().build())) {
      Trap numbering = servers.clients(1).trap(Place.BEFORE_SERVER, "^insert.* into .bloom_table");
      CompletableFuture<Void> late = doubleOn(1, shared);
      numbering.caught().get(60, TimeUnit.SECONDS);
      Trap making = servers.clients(0).trap(Place.BEFORE_SERVER, "^create table");
      CompletableFuture<Void> early = doubleOn(0, shared);
      making.caught().get(60, TimeUnit.SECONDS);
      Sql second = new Sql(servers.dataSources().get(1));
      await()
          .atMost(SharedFilter.TIMEOUT)
          .until(
              () ->
                  second.number(
                          "SELECT COUNT(*) FROM bloom_table t JOIN bloom_filter f ON f.id ="
                              + " t.filter_id AND f.name = ?",
                          shared.name())
                      == 2);
      numbering.release();
      late.get(60, TimeUnit.SECONDS);
      making.release();
      early.get(60, TimeUnit.SECONDS);
      for (BloomFilter<String> filter : shared.filters()) {
        assertThat(filter.mightContain("none")).isFalse();
        assertThat(shared.bloom(0).info(filter.name()).generations()).hasSize(2);
      }
    }
  }

  private static CompletableFuture<Void> doubleOn(int server, SharedFilter shared) {
    return CompletableFuture.runAsync(
        () -> shared.bloom(server).admin(shared.name()).grow(2 * ContestedKeys.CAPACITY));
  }

  /** At READ COMMITTED it could crash the server, as {@link #KNOWN_CRASH} does. */
  @Test
  void anAddThatLocksOnMySqlReadsFromOneSnapshot() throws Exception {
    assumeTrue(group, "only MySQL crashes");
    try (SharedFilter shared = new SharedFilter(oneForEach(), SharedFilter.exact().build())) {
      int last = PROCESSES - 1;
      Trap appending =
          servers.clients(last).trap(Place.BEFORE_SERVER, "^insert into .bloom_journal");
      CompletableFuture<Boolean> added =
          CompletableFuture.supplyAsync(() -> shared.filters().get(last).add("x"));
      appending.caught().get(60, TimeUnit.SECONDS);
      List<String> levels =
          new Sql(servers.dataSources().get(last))
              .texts(
                  "SELECT trx_isolation_level FROM information_schema.innodb_trx"
                      + " WHERE trx_rows_locked > 0");
      appending.release();
      assertThat(added.get(60, TimeUnit.SECONDS)).isTrue();
      assertThat(levels).contains("REPEATABLE READ");
    }
  }
}
