package io.github.slotbloom.reliability;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.WriteMode;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.lang.management.ManagementFactory;
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
import org.junit.jupiter.api.Test;

/**
 * One process uses filters for long, opens and closes them too, and needs no more memory, threads
 * and connections at the end than in the middle. {@code slotbloom.soak.minutes} makes it long.
 */
@DatabaseContract
class SoakIT {

  private static final int POOL_SIZE = 6;
  private static final int SAMPLES = 24;
  private static final long SLACK_BYTES = 8 << 20;
  private static final int SLACK_THREADS = 4;

  private final long minutes = Long.getLong("slotbloom.soak.minutes", 0);
  private final Duration length =
      minutes == 0 ? Duration.ofSeconds(6) : Duration.ofMinutes(minutes);

  private final AtomicLong nextKey = new AtomicLong();
  private final AtomicLong calls = new AtomicLong();
  private final AtomicBoolean ended = new AtomicBoolean();

  private record Sample(long bytes, long threads, long pooled, long onServer) {}

  @Test
  void memoryThreadsAndConnectionsStayFlat(TestSchema schema) throws Exception {
    HikariDataSource pool = schema.pool(config -> config.setMaximumPoolSize(POOL_SIZE));
    Sql sql = new Sql(pool);
    List<Sample> samples = new ArrayList<>();
    try (SlotBloom bloom = SlotBloom.on(pool)) {
      bloom.migrate();
      BloomFilter<Long> mirrored = reserve(bloom, "soak_mirrored", WriteMode.DEFERRED);
      BloomFilter<Long> direct =
          reserve(bloom, "soak_direct", WriteMode.WRITE_THROUGH, FilterOptions::withoutMirror);
      ExecutorService threads = Executors.newCachedThreadPool();
      List<Future<?>> loads =
          List.of(
              threads.submit(() -> untilEnded(() -> addAndAsk(mirrored))),
              threads.submit(() -> untilEnded(() -> addAndAsk(mirrored))),
              threads.submit(() -> untilEnded(() -> addAndAsk(direct))),
              threads.submit(() -> untilEnded(() -> addInTransaction(pool, mirrored))),
              threads.submit(() -> untilEnded(() -> openAndClose(bloom))),
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
      System.out.printf(
          "Soak on %s for %s: %,d calls, %,d keys; first and last of %d samples: %s, %s%n",
          schema.database().name(),
          length,
          calls.get(),
          nextKey.get(),
          SAMPLES,
          samples.get(SAMPLES / 3),
          samples.get(SAMPLES - 1));
    }
    assertFlat("bytes in use", samples, Sample::bytes, SLACK_BYTES);
    assertFlat("threads", samples, Sample::threads, SLACK_THREADS);
    assertFlat("connections on the server", samples, Sample::onServer, POOL_SIZE);
    assertThat(samples).allMatch(sample -> sample.pooled() <= POOL_SIZE);
  }

  /** The last third is compared with the middle one; in the first, all is still warming up. */
  private static void assertFlat(
      String what, List<Sample> samples, ToLongFunction<Sample> size, long slack) {
    long middle = most(samples.subList(SAMPLES / 3, 2 * SAMPLES / 3), size);
    long last = most(samples.subList(2 * SAMPLES / 3, SAMPLES), size);
    assertThat(last).as(what + " of " + samples).isLessThanOrEqualTo(middle + slack);
  }

  private static long most(List<Sample> samples, ToLongFunction<Sample> size) {
    return samples.stream().mapToLong(size).max().orElseThrow();
  }

  private static Sample sample(HikariDataSource pool, Sql sql) throws SQLException {
    System.gc();
    return new Sample(
        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
        ManagementFactory.getThreadMXBean().getThreadCount(),
        pool.getHikariPoolMXBean().getTotalConnections(),
        Long.parseLong(sql.rows("SHOW STATUS LIKE 'Threads_connected'").get(0).get(1)));
  }

  private static BloomFilter<Long> reserve(SlotBloom bloom, String name, WriteMode mode) {
    return reserve(bloom, name, mode, options -> options);
  }

  private static BloomFilter<Long> reserve(
      SlotBloom bloom, String name, WriteMode mode, UnaryOperator<FilterOptions> options) {
    FilterSpec<Long> spec =
        FilterSpec.builder(KeyType.longs()).capacity(1_000_000).writeMode(mode).build();
    return bloom.reserve(name, spec, options.apply(FilterOptions.defaults()));
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
    long first = nextKey.getAndAdd(100);
    List<Long> keys = LongStream.range(first, first + 100).boxed().toList();
    filter.addEach(keys.subList(0, 50));
    filter.add(keys.get(50));
    filter.addAsync(keys.get(51)).join();
    assertThat(filter.mightContain(first)).isTrue();
    filter.mightContainEach(keys);
  }

  private void addInTransaction(HikariDataSource pool, BloomFilter<Long> filter)
      throws SQLException {
    try (Connection connection = pool.getConnection()) {
      connection.setAutoCommit(false);
      long key = nextKey.getAndIncrement();
      filter.within(connection).add(key);
      if (key % 2 == 0) {
        connection.commit();
      } else {
        connection.rollback();
      }
    }
  }

  private void openAndClose(SlotBloom bloom) {
    BloomFilter<Long> filter = bloom.open("soak_mirrored", KeyType.longs());
    filter.mightContain(nextKey.get());
    filter.close();
  }

  private void startAndStop(HikariDataSource pool) {
    try (SlotBloom another = SlotBloom.on(pool)) {
      another.open("soak_direct", KeyType.longs(), FilterOptions.defaults().withoutMirror());
    }
  }
}
