package io.github.slotbloom.perf.memory;

import com.google.common.hash.BloomFilter;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Asks the same lookups of Guava's filter, which lives in one process and is not stored. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class GuavaMemory {

  @Param KeyKind kind;
  @Param Asked asked;

  @Param("1000000")
  long keys;

  private Object[] lookups;
  private int next;
  private BloomFilter<Object> filter;

  /** Writes the filter that the forks read. Filling it in each fork would take too long. */
  public static void write(Path file, KeyKind kind, long keys, double falsePositiveRate)
      throws IOException {
    BloomFilter<Object> filter = BloomFilter.create(kind.funnel(), keys, falsePositiveRate);
    for (long number = 0; number < keys; number++) {
      filter.put(kind.key(number));
    }
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 20)) {
      filter.writeTo(out);
    }
  }

  @Setup(Level.Trial)
  public void read() throws IOException {
    lookups = asked.keys(kind, keys);
    try (InputStream in =
        new BufferedInputStream(
            Files.newInputStream(MemorySetup.file(MemorySetup.GUAVA)), 1 << 20)) {
      filter = BloomFilter.readFrom(in, kind.funnel());
    }
    asked.requireRight(lookups, filter::mightContain);
  }

  @Benchmark
  public boolean mightContain() {
    int at = next;
    next = at + 1 & Asked.COUNT - 1;
    return filter.mightContain(lookups[at]);
  }
}
