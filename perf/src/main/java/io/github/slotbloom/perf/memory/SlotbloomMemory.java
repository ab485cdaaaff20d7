package io.github.slotbloom.perf.memory;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.Freshness;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.micrometer.SlotBloomMetrics;
import io.github.slotbloom.perf.server.DatabaseAccount;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Measures a user's calls on a filter that was opened from the database and follows it. Its
 * consistency is bounded, so the mirror answers alone.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SlotbloomMemory {

  private static final int BATCH = 1_000;

  @Param KeyKind kind;
  @Param Asked asked;

  @Param("1000000")
  long keys;

  private Object[] lookups;
  private List<List<Object>> batches;
  private int next;
  private HikariDataSource pool;
  private SlotBloom bloom;
  private BloomFilter<Object> filter;

  @Setup(Level.Trial)
  public void open() throws IOException {
    lookups = asked.keys(kind, keys);
    batches =
        IntStream.range(0, lookups.length / BATCH)
            .mapToObj(i -> Arrays.asList(lookups).subList(i * BATCH, (i + 1) * BATCH))
            .toList();
    pool = DatabaseAccount.read(MemorySetup.file(MemorySetup.ACCOUNT)).pool(4);
    bloom = bloom(pool);
    filter =
        bloom.open(
            MemorySetup.get(MemorySetup.FILTER),
            kind.type(),
            FilterOptions.defaults().freshness(Freshness.bounded(Duration.ofSeconds(2))));
    asked.requireRight(lookups, filter::mightContain);
  }

  private static SlotBloom bloom(HikariDataSource pool) {
    SlotBloom.Builder builder = SlotBloom.builder(pool);
    if (Boolean.getBoolean(MemorySetup.METERED)) {
      SlotBloomMetrics metrics = new SlotBloomMetrics();
      metrics.bindTo(new SimpleMeterRegistry());
      builder.listener(metrics);
    }
    return builder.build();
  }

  @TearDown(Level.Trial)
  public void close() {
    bloom.close();
    pool.close();
  }

  @Benchmark
  public boolean mightContain() {
    int at = next;
    next = at + 1 & Asked.COUNT - 1;
    return filter.mightContain(lookups[at]);
  }

  /** Changes nothing if all keys are present. */
  @Benchmark
  public boolean add() {
    int at = next;
    next = at + 1 & Asked.COUNT - 1;
    return filter.add(lookups[at]);
  }

  @Benchmark
  @OperationsPerInvocation(BATCH)
  public boolean[] mightContainEach() {
    return filter.mightContainEach(batch());
  }

  /** The baseline for {@link #mightContainEach}. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public boolean[] mightContainInALoop() {
    boolean[] answers = new boolean[BATCH];
    int i = 0;
    for (Object key : batch()) {
      answers[i++] = filter.mightContain(key);
    }
    return answers;
  }

  private List<Object> batch() {
    int at = next;
    next = at + 1 == batches.size() ? 0 : at + 1;
    return batches.get(at);
  }
}
