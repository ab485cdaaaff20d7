package io.github.slotbloom.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.SlotBloomListener;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.error.FilterClosedException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.error.WriteFailedException.Outcome;
import io.github.slotbloom.internal.duty.GenerationMaker;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.internal.store.session.ServerSettings;
import io.github.slotbloom.internal.store.session.Servers;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.RefusingThreads;
import io.github.slotbloom.testing.RefusingThreads.Reason;
import io.github.slotbloom.testing.SetClock;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import io.github.slotbloom.testing.WordsEngine;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Threads are refused at each hand-over, in every way there is. What waits for them is told,
 * nothing that was acknowledged is lost, and everything goes on as soon as there are threads again.
 */
@DatabaseContract(migrated = true, onOne = true, shortLeases = true)
@Timeout(300)
@PossibleLog(KnownLogs.NOT_BEGUN)
@PossibleLog(KnownLogs.WORK_FAILED)
@PossibleLog(KnownLogs.SELF_GROWTH_FAILED)
class HandOverFaultsIT implements GenerationMaker, SlotBloomListener {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Of calls that are refused all the time. */
  private static final Duration TIMEOUT = Duration.ofMillis(700);

  private static final Reason NO_THREAD = Reason.THROWS_AN_ERROR;

  private final DataSource pool;
  private final Sql sql;
  private final SetClock clock = new SetClock();
  private final RefusingThreads threads = new RefusingThreads();
  private final AtomicInteger prepared = new AtomicInteger();
  private final AtomicInteger grown = new AtomicInteger();
  private final List<Long> recorded = new ArrayList<>();
  private volatile Runnable whenNearlyFull = () -> {};
  private SlotBloom bloom;
  private FilterEngines engines;
  private long number;

  HandOverFaultsIT(TestSchema schema) {
    pool = schema.pool(settings -> settings.setMaximumPoolSize(6));
    sql = new Sql(schema.dataSource());
  }

  @BeforeEach
  void open() {
    bloom = SlotBloom.on(pool);
    Database database = Database.connect(pool);
    ServerSettings server = database.transact(ServerSettings::read);
    engines =
        new FilterEngines(
            Servers.only(database), server, clock, this, this, threads, FilterEngines.timer());
  }

  @AfterEach
  void close() {
    threads.refuseNone();
    engines.close();
    bloom.close();
  }

  @Override
  public void prepare(FilterRecord filter, long generationToken, boolean mirrored) {
    prepared.incrementAndGet();
  }

  @Override
  public void grow(FilterRecord filter, long generationToken, long newKeys, boolean mirrored) {
    try {
      sql.run("UPDATE bloom_filter SET capacity = 1000");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    grown.incrementAndGet();
  }

  @Override
  public void rotate(FilterRecord filter) {}

  @Override
  public long prepareBucket(FilterRecord filter) {
    return filter.head().manifestToken();
  }

  @Override
  public void on(SlotBloomEvent event) {
    if (event instanceof SlotBloomEvent.NearlyFull) {
      whenNearlyFull.run();
    }
  }

  private FilterEngine open(long capacity, Duration timeout) {
    bloom
        .reserve(
            "words",
            FilterSpec.builder(KeyType.text())
                .capacity(capacity)
                .falsePositiveRate(1e-6)
                .onFull(OnFull.GROW)
                .build())
        .close();
    return open(timeout);
  }

  private FilterEngine open(Duration timeout) {
    FilterRecord filter =
        Database.connect(pool)
            .transact(tx -> Catalog.find(tx, new FilterName("words")))
            .orElseThrow();
    return engines.open(filter, FilterOptions.defaults().timeout(timeout).backlogLimit(1000));
  }

  private static long hash(long number) {
    return (number + 1) * 0x9E3779B97F4A7C15L;
  }

  private long next() {
    return hash(number++);
  }

  private void addNew(FilterEngine engine, int keys) {
    for (int i = 0; i < keys; i++) {
      long hash = next();
      assertThat(engine.writes().add(hash)).isTrue();
      recorded.add(hash);
    }
  }

  /** Adds where it may fail. */
  private void tryToAdd(FilterEngine engine, boolean async) {
    long hash = next();
    try {
      assertThat(async ? engine.writes().addAsync(hash).get() : engine.writes().add(hash)).isTrue();
      recorded.add(hash);
    } catch (WriteFailedException e) {
      assertThat(e.outcome()).isEqualTo(Outcome.NOT_RECORDED);
    } catch (FilterClosedException e) {
      assertThat(threads.refused()).isPositive();
    } catch (ExecutionException e) {
      assertNotRecorded(e.getCause());
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** An executor that rejects is taken for one that was shut down. */
  private static void assertNotRecorded(Throwable failure) {
    if (!(failure instanceof FilterClosedException)) {
      assertThat(failure)
          .isInstanceOfSatisfying(
              WriteFailedException.class,
              e -> assertThat(e.outcome()).isEqualTo(Outcome.NOT_RECORDED));
    }
  }

  private static void assertUnavailable(Throwable failure) {
    if (!(failure instanceof FilterClosedException)) {
      assertThat(failure)
          .isInstanceOf(FilterUnavailableException.class)
          .hasMessageContaining("no thread could be started", "by the test");
    }
  }

  private void assertNothingLost() throws SQLException {
    assertThat(sql.number("SELECT keys_added FROM bloom_filter_status")).isEqualTo(recorded.size());
    try (WordsEngine other = new WordsEngine(pool, clock)) {
      assertThat(recorded).allMatch(other.engine.lookups()::mightContain);
    }
  }

  @Test
  void aFilterGoesOnAfterATimeWithoutThreads() throws Exception {
    FilterEngine engine = open(100_000, TIMEOUT);
    addNew(engine, 5);
    // A writer that is still there would take what comes next.
    await().atMost(PATIENCE).until(() -> threads.getActiveCount() == 0);
    threads.refuseAll(NO_THREAD);
    assertNotRecorded(catchThrowable(() -> engine.writes().add(next())));
    assertNotRecorded(catchThrowable(() -> engine.writes().addEach(new long[] {next(), next()})));
    assertNotRecorded(catchThrowable(() -> engine.writes().addAsync(next()).get()).getCause());
    assertUnavailable(catchThrowable(() -> engine.lookups().mightContain(next())));
    // Time to trim, to tell the usage, to ask how far the filter is, and to fold.
    clock.advance(Duration.ofSeconds(61));
    int before = threads.refused();
    await().atMost(PATIENCE).until(() -> threads.refused() > before + 8);
    threads.refuseNone();

    addNew(engine, 5);
    assertThat(engine.lookups().mightContain(next())).isFalse();
    await()
        .atMost(PATIENCE)
        .until(() -> sql.number("SELECT folded_seq FROM bloom_fold") == recorded.size());
    sql.run("UPDATE bloom_journal SET created_at = created_at - INTERVAL 3 HOUR");
    clock.advance(Duration.ofSeconds(61));
    await()
        .atMost(PATIENCE)
        .until(
            () -> sql.number("SELECT COUNT(*) FROM bloom_journal WHERE seq > 0") < recorded.size());
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                sql.number("SELECT COALESCE(SUM(new_keys), 0) FROM bloom_usage")
                    == recorded.size());
    bloom.admin("words").fold();
    assertNothingLost();
  }

  @ParameterizedTest
  @EnumSource(Reason.class)
  void aFilterGoesOnAfterAnyRefusedHandOver(Reason reason) throws Exception {
    FilterEngine engine = open(100_000, PATIENCE);
    for (int n = 1; n <= 6; n++) {
      threads.refuseOnly(n, reason);
      tryToAdd(engine, false);
      Throwable asked = catchThrowable(() -> engine.lookups().mightContain(next()));
      if (asked != null) {
        assertUnavailable(asked);
      }
      tryToAdd(engine, true);
      clock.advance(Duration.ofSeconds(31));
      tryToAdd(engine, false);
      threads.refuseNone();
      addNew(engine, 1);
      assertThat(engine.lookups().mightContain(next())).isFalse();
    }
    bloom.admin("words").fold();
    assertNothingLost();
  }

  @Test
  void aGrowthThatCouldNotBePreparedIsPreparedLater() {
    FilterEngine engine = open(100, PATIENCE);
    addNew(engine, 79);
    whenNearlyFull = () -> threads.refuseOwn(NO_THREAD);
    addNew(engine, 1);
    await().atMost(PATIENCE).until(() -> threads.refused() > 0);
    assertThat(prepared).hasValue(0);
    threads.refuseNone();
    addNew(engine, 1);
    await().atMost(PATIENCE).until(() -> prepared.get() == 1);
  }

  @Test
  void aGrowthThatCouldNotStartDelaysNobody() throws Exception {
    FilterEngine engine = open(100, PATIENCE);
    addNew(engine, 100);
    await().atMost(PATIENCE).until(() -> prepared.get() == 1);
    threads.refuseOwn(NO_THREAD);
    addNew(engine, 1);
    assertThat(threads.refused()).isPositive();
    threads.refuseNone();
    addNew(engine, 1);
    assertThat(grown).as("not tried again so soon").hasValue(0);
    clock.advance(Duration.ofSeconds(31));
    addNew(engine, 1);
    // This grower makes no room: the heartbeat and the add may both ask it.
    await().atMost(PATIENCE).until(() -> grown.get() > 0);
    assertNothingLost();
  }

  @Test
  void aMirrorLoadedByFewerThreadsIsComplete() throws Exception {
    bloom.reserve("words", FilterSpec.builder(KeyType.text()).capacity(300_000).build()).close();
    try (WordsEngine other = new WordsEngine(pool, clock)) {
      for (int i = 0; i < 500; i++) {
        recorded.add(next());
      }
      long[] hashes = recorded.stream().mapToLong(Long::longValue).toArray();
      assertThat(other.engine.writes().addEach(hashes)).contains(true);
      bloom.admin("words").fold();
    }
    threads.refuseOwn(NO_THREAD);
    FilterEngine engine = open(PATIENCE);
    assertThat(threads.refused()).isPositive();
    assertThat(recorded).allMatch(engine.lookups()::mightContain);
  }
}
