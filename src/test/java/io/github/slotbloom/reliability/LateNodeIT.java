package io.github.slotbloom.reliability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.PrimaryDataSource;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.SlotBloomException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.FilterNames;
import io.github.slotbloom.testing.KillableGalera;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Removing;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestDatabase;
import io.github.slotbloom.testing.Trap;
import io.github.slotbloom.testing.Trap.Place;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.commons.support.ReflectionSupport;

/**
 * A node of a Galera cluster that has not applied yet what another one committed, under sessions
 * that are not Slotbloom's own.
 */
@Tag("servers")
@DatabaseContract
@Timeout(300)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
@PossibleLog(KnownLogs.MIRROR_RELOADED)
@PossibleLog(KnownLogs.SEVERAL_PRIMARIES)
@PossibleLog("^WARN PoolBase - ")
class LateNodeIT {

  private static final int FIRST = 0;
  private static final int LATE = 1;
  private static final Duration BRIEF = Duration.ofSeconds(3);

  private static @Nullable KillableGalera running;

  private final KillableGalera cluster;
  private final DataSource first;
  private final DataSource late;
  private boolean paused;

  LateNodeIT(TestDatabase database) throws Exception {
    assumeTrue(database.isMariaDb() && !database.isGiven(), "only MariaDB has Galera");
    if (running == null) {
      running = KillableGalera.start();
    }
    cluster = running;
    first = cluster.dataSources().get(FIRST);
    late = cluster.dataSources().get(LATE);
  }

  @AfterEach
  void resume() throws SQLException {
    if (paused) {
      cluster.resumeApplying(LATE);
      paused = false;
    }
  }

  @AfterAll
  static void end() throws Exception {
    if (running != null) {
      running.close();
      running = null;
    }
  }

  private void hold() throws SQLException {
    cluster.holdApplying(LATE);
    paused = true;
  }

  private void pause() throws SQLException {
    cluster.pauseApplying(LATE);
    paused = true;
  }

  private static HikariDataSource poolOfOne(DataSource server) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(server);
    config.setMaximumPoolSize(1);
    config.setConnectionTimeout(3_000);
    return new HikariDataSource(config);
  }

  private static BloomFilter<String> open(SlotBloom bloom, String name, boolean mirrored) {
    FilterOptions options = FilterOptions.defaults().timeout(BRIEF);
    return bloom.open(name, KeyType.text(), mirrored ? options : options.withoutMirror());
  }

  private static SharedFilter sharedBy(DataSource server) {
    return new SharedFilter(List.of(server, server), SharedFilter.exact().build());
  }

  private static void turnReplicationOff(DataSource pool) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      Sql.run(connection, "SET SESSION wsrep_on = OFF");
    }
  }

  @Test
  void aSessionThatDoesNotReplicateAnswersNoLookup() throws Exception {
    try (SharedFilter shared = sharedBy(first);
        HikariDataSource pool = poolOfOne(late);
        SlotBloom bloom = SlotBloom.on(pool)) {
      for (boolean mirrored : new boolean[] {true, false}) {
        try (BloomFilter<String> filter = open(bloom, shared.name(), mirrored)) {
          String key = "mirrored: " + mirrored;
          turnReplicationOff(pool);
          pause();
          assertThat(shared.filters().get(0).add(key)).isTrue();
          ContestedKeys.assertNeverDenied(filter, key);
          resume();
          assertThat(filter.mightContain(key)).isTrue();
        }
      }
    }
  }

  @Test
  void aSessionThatDoesNotReplicateIsNotWrittenTo() throws Exception {
    try (SharedFilter shared = sharedBy(first);
        HikariDataSource pool = poolOfOne(late);
        SlotBloom bloom = SlotBloom.on(pool);
        BloomFilter<String> filter = open(bloom, shared.name(), true)) {
      turnReplicationOff(pool);
      assertThat(filter.add("x")).isTrue();
      assertThat(shared.filters().get(0).mightContain("x")).isTrue();
      assertThat(shared.filters().get(1).mightContain("x")).isTrue();
      assertThat(shared.filters().get(1).add("x")).isFalse();
    }
  }

  /**
   * The transaction is the application's own, and waits for nothing. What it may miss comes after
   * something that takes long to apply.
   */
  @Test
  void aKeyThatWasRemovedElsewhereIsNotSeenByACaller() throws Exception {
    try (SharedFilter shared = new SharedFilter(List.of(first, first), ContestedRemovals.spec());
        Connection connection = late.getConnection()) {
      BloomFilter<String> here = shared.filters().get(0);
      BloomFilter<String> there = shared.openOn(late, false);
      String many = "many_for_" + shared.name();
      new Sql(first).run("CREATE TABLE " + many + " (id INT PRIMARY KEY)");
      assertThat(here.add("x")).isTrue();
      assertThat(there.mightContain("x")).isTrue();
      connection.setAutoCommit(false);
      try (Connection patient = first.getConnection()) {
        patient.setNetworkTimeout(Runnable::run, (int) SharedFilter.TIMEOUT.toMillis());
        Sql.run(patient, "INSERT INTO " + many + " SELECT seq FROM seq_1_to_300000");
      }
      assertThat(Removing.from(here).remove("x")).isTrue();

      boolean committed = false;
      try {
        there.within(connection).add("x");
        connection.commit();
        committed = true;
      } catch (SQLException | SlotBloomException e) {
        // Another server's commit came first.
      }
      assertThat(here.mightContain("x")).as("added again, and acknowledged").isEqualTo(committed);
    }
  }

  /** What an operator does to a filter on the first server, while another one has a transaction. */
  enum Change {
    DROP {
      @Override
      void carryOut(SharedFilter shared, KillableGalera cluster) throws Exception {
        breakOff(cluster, () -> shared.admin().drop());
      }
    },
    EXPIRE {
      @Override
      void carryOut(SharedFilter shared, KillableGalera cluster) {
        shared.admin().expireAt(Instant.EPOCH);
      }
    },
    RENAME {
      @Override
      void carryOut(SharedFilter shared, KillableGalera cluster) throws Exception {
        String newName = FilterNames.newName();
        breakOff(cluster, () -> shared.admin().rename(newName));
      }
    };

    /** Returns when it is committed. */
    abstract void carryOut(SharedFilter shared, KillableGalera cluster) throws Exception;

    /** Interrupts an operation at its first commit, so that it does nothing more. */
    private static void breakOff(KillableGalera cluster, Runnable operation) throws Exception {
      String update = "^update .bloom_(filter|fold|journal)";
      Trap committed = cluster.clients(FIRST).trapAfter(update, Place.BEFORE_CLIENT, "^commit");
      FutureTask<Void> begun = new FutureTask<>(operation, null);
      Thread thread = new Thread(begun);
      thread.start();
      committed.caught().get(60, TimeUnit.SECONDS);
      thread.interrupt();
      committed.release();
      assertThatThrownBy(() -> begun.get(60, TimeUnit.SECONDS))
          .hasCauseInstanceOf(FilterUnavailableException.class);
    }
  }

  /**
   * Nothing that the transaction wrote or locked on its own server is in the way of the operator on
   * the other one. So the transaction is to be rolled back when it commits.
   */
  @ParameterizedTest
  @EnumSource(Change.class)
  void aCallersAddFailsIfAnOperatorWasFasterElsewhere(Change change) throws Exception {
    String usable =
        "SELECT COUNT(*) FROM bloom_filter"
            + " WHERE name = ? AND state = 'ACTIVE' AND expires_at IS NULL";
    try (SharedFilter shared = sharedBy(first);
        Connection connection = late.getConnection()) {
      connection.setNetworkTimeout(Runnable::run, (int) SharedFilter.TIMEOUT.toMillis());
      connection.setAutoCommit(false);
      try (HikariDataSource pool = poolOfOne(late);
          SlotBloom bloom = SlotBloom.on(pool);
          BloomFilter<String> there = open(bloom, shared.name(), false)) {
        assertThat(there.within(connection).add("x")).isTrue();
      }
      hold();
      change.carryOut(shared, cluster);
      assertThat(new Sql(first).number(usable, shared.name())).isZero();
      assertThat(new Sql(late).number(usable, shared.name())).isOne();
      assertThat(Sql.read(connection, usable, row -> row.getInt(1), shared.name()))
          .as("seen by a transaction that is still there")
          .containsExactly(1);

      // Nobody else writes on that server anymore, so what it sends next is this transaction.
      long sent = cluster.replicated(LATE);
      CompletableFuture<Void> commit =
          CompletableFuture.runAsync(
              () -> {
                try {
                  connection.commit();
                } catch (SQLException e) {
                  throw new CompletionException(e);
                }
              });
      await().atMost(SharedFilter.TIMEOUT).until(() -> cluster.replicated(LATE) > sent);
      resume();
      assertThatThrownBy(() -> commit.get(60, TimeUnit.SECONDS))
          .hasCauseInstanceOf(SQLTransactionRollbackException.class);
    }
  }

  /** Another server's commit wins over an open transaction, whose next statement is told. */
  @Test
  void aTransactionThatLostBetweenTwoStatementsIsToBeRepeatedAsAWhole() throws Exception {
    try (SharedFilter shared = sharedBy(first);
        Connection connection = late.getConnection()) {
      String table = "rows_of_" + shared.name();
      new Sql(first).run("CREATE TABLE " + table + " (id INT PRIMARY KEY)");
      BloomFilter<String> there = shared.openOn(late, false);
      assertThat(there.mightContain("mine")).isFalse();
      connection.setAutoCommit(false);
      Sql.run(connection, "INSERT INTO " + table + " VALUES (1)");
      assertThat(there.within(connection).add("mine")).isTrue();

      assertThat(shared.filters().get(0).add("theirs")).isTrue();
      assertThat(there.mightContain("theirs")).isTrue();

      assertThatThrownBy(() -> there.within(connection).add("more"))
          .isInstanceOf(WriteFailedException.class)
          .hasMessageContaining("Roll it back and repeat all of it")
          .hasMessageNotContaining("what the transaction did before remains");
      connection.rollback();
      assertThat(there.mightContain("mine")).isFalse();
      assertThat(there.mightContain("more")).isFalse();
      assertThat(new Sql(late).texts("SELECT id FROM " + table)).isEmpty();
    }
  }

  @Test
  void aFilterThatWasJustReservedIsNotCalledGone() throws Exception {
    AtomicReference<DataSource> server = new AtomicReference<>(first);
    DataSource moving =
        (DataSource)
            Proxy.newProxyInstance(
                DataSource.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) ->
                    ReflectionSupport.invokeMethod(method, server.get(), arguments));
    try (SlotBloom bloom = SlotBloom.on(moving)) {
      bloom.migrate();
      // Waits for the tables.
      new Sql(new PrimaryDataSource(List.of(late))).number("SELECT COUNT(*) FROM bloom_filter");
      pause();
      String name = FilterNames.newName();
      bloom.reserve(name, SharedFilter.exact().build()).close();
      for (boolean mirrored : new boolean[] {true, false}) {
        try (BloomFilter<String> filter = open(bloom, name, mirrored)) {
          server.set(late);
          assertThatThrownBy(() -> filter.mightContain("x"))
              .isInstanceOf(FilterUnavailableException.class);
          server.set(first);
          assertThat(filter.mightContain("x")).isFalse();
        }
      }
    }
  }
}
