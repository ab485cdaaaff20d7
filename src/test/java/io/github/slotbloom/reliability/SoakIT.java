package io.github.slotbloom.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.KnownLogs;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * One process uses filters for long, opens and closes them too, and needs no more memory, threads
 * and connections at the end than in the middle. {@code slotbloom.soak.minutes} makes it long.
 */
@DatabaseContract(onOne = true)
@PossibleLog(KnownLogs.BACKGROUND_FAILED)
@PossibleLog(KnownLogs.MIRROR_RELOADED)
@PossibleLog(KnownLogs.SELF_GROWTH_FAILED)
@Tag("long")
class SoakIT {

  private static final int POOL_SIZE = 6;
  private static final int SAMPLES = 24;
  private static final long SLACK_BYTES = 8 << 20;
  private static final int SLACK_THREADS = 16;
  private static final long CAPACITY = 1_000_000;
  private static final String MIRRORED = "soak_mirrored";
  private static final String DIRECT = "soak_direct";

  /** What is loaded and allocated once, with the first adds, is so before the first sample. */
  private static final int KEYS_AT_FIRST = 4_000;

  private final long minutes = Long.getLong("slotbloom.soak.minutes", 0);
  private final Duration length =
      minutes == 0 ? Duration.ofSeconds(6) : Duration.ofMinutes(minutes);

  private final AtomicLong nextKey = new AtomicLong();
  private final AtomicLong calls = new AtomicLong();

  /** Odd while a filter is being cleared. */
  private final AtomicLong clears = new AtomicLong();

  private final AtomicBoolean ended = new AtomicBoolean();

  private record Sample(
      long bytes,
      long threads,
      long pooled,
      long onServer,
      long lastSeqMirrored,
      long lastSeqDirect) {}

  @Test
  void memoryThreadsAndConnectionsStayFlat(TestSchema schema) throws Exception {
    HikariDataSource pool = schema.pool(config -> config.setMaximumPoolSize(POOL_SIZE));
    Sql sql = new Sql(pool);
    List<Sample> samples = new ArrayList<>();
    try (SlotBloom bloom = SlotBloom.on(pool)) {
      bloom.migrate();
      BloomFilter<Long> mirrored = reserve(bloom, sql, MIRRORED, options -> options);
      BloomFilter<Long> direct = reserve(bloom, sql, DIRECT, FilterOptions::withoutMirror);
      fill(bloom, mirrored);
      fill(bloom, direct);
      ExecutorService threads = Executors.newCachedThreadPool();
      List<Future<?>> loads =
          List.of(
              threads.submit(() -> untilEnded(() -> addAndAsk(mirrored))),
              threads.submit(() -> untilEnded(() -> addAndAsk(mirrored))),
              threads.submit(() -> untilEnded(() -> addAndAsk(direct))),
              threads.submit(() -> untilEnded(() -> addInTransaction(pool, mirrored))),
              threads.submit(() -> untilEnded(() -> openAndCloseAndClear(bloom))),
              threads.submit(() -> untilEnded(() -> startAndStop(pool))));
      for (int i = 0; i < SAMPLES; i++) {
        long due = System.nanoTime() + length.toNanos() / SAMPLES;
        while (System.nanoTime() < due) {
          LockSupport.parkNanos(due - System.nanoTime());
        }
        samples.add(sample(pool, sql));
      }
      ended.set(true);
      for (Future<?> load : loads) {
        load.get(60, TimeUnit.SECONDS);
      }
      threads.shutdown();
      Sample end = sample(pool, sql);
      System.out.printf(
          "Soak on %s for %s: %,d calls, %,d keys, %d clears; samples from a third to the end: %s,"
              + " %s%n",
          schema.database().name(),
          length,
          calls.get(),
          nextKey.get(),
          clears.get() / 2,
          samples.get(SAMPLES / 3),
          samples.get(SAMPLES - 1));
      Sample twoThirds = samples.get(2 * SAMPLES / 3 - 1);
      assertThat(end.lastSeqMirrored()).isGreaterThan(twoThirds.lastSeqMirrored());
      assertThat(end.lastSeqDirect()).isGreaterThan(twoThirds.lastSeqDirect());
    }
    assertFlat("bytes in use", samples, Sample::bytes, SLACK_BYTES);
    assertFlat("threads", samples, Sample::threads, SLACK_THREADS);
    assertFlat("connections on the server", samples, Sample::onServer, POOL_SIZE);
    assertThat(samples).allMatch(sample -> sample.pooled() <= POOL_SIZE);
  }

  /**
   * The last third is compared with the middle one; in the first, all is still warming up. What
   * grows without end raises the least, too, and what comes and goes does not.
   */
  private static void assertFlat(
      String what, List<Sample> samples, ToLongFunction<Sample> size, long slack) {
    long middle = least(samples.subList(SAMPLES / 3, 2 * SAMPLES / 3), size);
    long last = least(samples.subList(2 * SAMPLES / 3, SAMPLES), size);
    assertThat(last).as(what + " of " + samples).isLessThanOrEqualTo(middle + slack);
  }

  private static long least(List<Sample> samples, ToLongFunction<Sample> size) {
    return samples.stream().mapToLong(size).min().orElseThrow();
  }

  private static Sample sample(HikariDataSource pool, Sql sql) throws SQLException {
    System.gc();
    return new Sample(
        bytesAfterCollection(),
        ManagementFactory.getThreadMXBean().getThreadCount(),
        pool.getHikariPoolMXBean().getTotalConnections(),
        Long.parseLong(sql.rows("SHOW STATUS LIKE 'Threads_connected'").get(0).get(1)),
        lastSeq(sql, MIRRORED),
        lastSeq(sql, DIRECT));
  }

  /** Without what was allocated since: on a busy machine that is more than all that stays. */
  private static long bytesAfterCollection() {
    return ManagementFactory.getMemoryPoolMXBeans().stream()
        .filter(pool -> pool.getType() == MemoryType.HEAP)
        .mapToLong(pool -> pool.getCollectionUsage().getUsed())
        .sum();
  }

  private static long lastSeq(Sql sql, String name) throws SQLException {
    return sql.number("SELECT last_seq FROM bloom_filter_status WHERE name = ?", name);
  }

  private static BloomFilter<Long> reserve(
      SlotBloom bloom, Sql sql, String name, UnaryOperator<FilterOptions> options)
      throws SQLException {
    FilterSpec<Long> spec = FilterSpec.builder(KeyType.longs()).capacity(CAPACITY).build();
    bloom.reserve(name, spec).close();
    // A long run trims, too.
    sql.run("UPDATE bloom_filter SET retention_seconds = 60 WHERE name = ?", name);
    return bloom.open(name, KeyType.longs(), options.apply(FilterOptions.defaults()));
  }

  private void fill(SlotBloom bloom, BloomFilter<Long> filter) {
    long first = nextKey.getAndAdd(KEYS_AT_FIRST);
    filter.addEach(LongStream.range(first, first + KEYS_AT_FIRST).boxed().toList());
    // The first fold writes all rows.
    bloom.admin(filter.name()).fold();
  }

  private interface Load {
    void once() throws Exception;
  }

  private Void untilEnded(Load load) throws Exception {
    while (!ended.get()) {
      load.once();
      calls.incrementAndGet();
    }
    return null;
  }

  private void addAndAsk(BloomFilter<Long> filter) {
    long begun = clears.get();
    long first = nextKey.getAndAdd(100);
    List<Long> keys = LongStream.range(first, first + 100).boxed().toList();
    filter.addEach(keys.subList(0, 50));
    filter.add(keys.get(50));
    filter.addAsync(keys.get(51)).join();
    boolean found = filter.mightContain(first);
    assertThat(found || wasClearedSince(begun)).as("found what nobody cleared").isTrue();
    filter.mightContainEach(keys);
  }

  private boolean wasClearedSince(long begun) {
    return begun % 2 == 1 || clears.get() != begun;
  }

  private void addInTransaction(HikariDataSource pool, BloomFilter<Long> filter)
      throws SQLException {
    try (Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      long key = nextKey.getAndIncrement();
      long begun = clears.get();
      try {
        filter.within(connection).add(key);
      } catch (WriteFailedException e) {
        // A transaction of the caller's does not wait for the end of a clear.
        if (!wasClearedSince(begun)) {
          throw e;
        }
        connection.rollback();
        return;
      }
      if (key % 2 == 0) {
        connection.commit();
      } else {
        connection.rollback();
      }
    }
  }

  private void openAndCloseAndClear(SlotBloom bloom) {
    BloomFilter<Long> filter = bloom.open(MIRRORED, KeyType.longs());
    filter.mightContain(nextKey.get());
    filter.close();
    for (String name : List.of(MIRRORED, DIRECT)) {
      // A filter that is full would be another test.
      if (bloom.info(name).keysAdded() > CAPACITY / 2) {
        clears.incrementAndGet();
        bloom.admin(name).clear();
        clears.incrementAndGet();
      }
    }
  }

  private void startAndStop(HikariDataSource pool) {
    try (SlotBloom another = SlotBloom.on(pool)) {
      another.open(DIRECT, KeyType.longs(), FilterOptions.defaults().withoutMirror());
    }
  }
}
