package io.github.slotbloom.perf.measure;

import java.util.stream.IntStream;

/** When the calls of one thread began and ended. */
public final class CallTimes {

  private final long[] begunNanos;
  private final long[] endedNanos;
  private int calls;

  /**
   * @param most the most calls that are added
   */
  public CallTimes(int most) {
    begunNanos = new long[most];
    endedNanos = new long[most];
  }

  /** Adds a call, by {@link System#nanoTime}. */
  public void add(long begun, long ended) {
    begunNanos[calls] = begun;
    endedNanos[calls++] = ended;
  }

  /**
   * {@return the time in milliseconds that this part of the calls took at most}
   *
   * @param from calls that ended before do not count
   * @param until calls that began at or after it do not count
   * @param part the part of the calls, from 0 to 1
   */
  public double percentile(long from, long until, double part) {
    long[] sorted =
        IntStream.range(0, calls)
            .filter(i -> endedNanos[i] - from >= 0 && begunNanos[i] - until < 0)
            .mapToLong(i -> endedNanos[i] - begunNanos[i])
            .sorted()
            .toArray();
    if (sorted.length == 0) {
      throw new IllegalArgumentException("No call was made in that time.");
    }
    return sorted[Math.max(0, (int) Math.ceil(part * sorted.length) - 1)] / 1e6;
  }
}
