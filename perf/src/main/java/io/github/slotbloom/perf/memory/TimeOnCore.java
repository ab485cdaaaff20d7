package io.github.slotbloom.perf.memory;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * Measures what a call costs the thread that makes it, in the best iteration: the part of its time
 * in which the thread had a core. A call that memory answers waits for nothing, so the rest belongs
 * to other work on the machine. So does an iteration in which the compiler had no core.
 */
public final class TimeOnCore implements InternalProfiler {

  /** The name of the result. */
  public static final String RESULT = "onCore";

  /** JMH names its threads so. */
  private static final String WORKER = "-jmh-worker-";

  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private long begunNanos;
  private long usedNanos;

  @Override
  public String getDescription() {
    return "time of the calling thread on a core";
  }

  @Override
  public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
    usedNanos = usedByWorkers();
    begunNanos = System.nanoTime();
  }

  @Override
  public Collection<? extends Result<?>> afterIteration(
      BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
    double share =
        (double) (usedByWorkers() - usedNanos) / Math.max(1, System.nanoTime() - begunNanos);
    Result<?> time = result.getPrimaryResult();
    return List.of(
        new ScalarResult(
            RESULT, share * time.getScore(), time.getScoreUnit(), AggregationPolicy.MIN));
  }

  private long usedByWorkers() {
    return Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
        .filter(Objects::nonNull)
        .filter(thread -> thread.getThreadName().contains(WORKER))
        .mapToLong(ThreadInfo::getThreadId)
        .map(threads::getThreadCpuTime)
        .sum();
  }
}
