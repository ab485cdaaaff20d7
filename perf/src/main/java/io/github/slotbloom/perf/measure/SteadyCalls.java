package io.github.slotbloom.perf.measure;

import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * One thread that calls at a steady rate, however long the calls take, and notes when each was due
 * and how long after that it was answered: who waits behind a slow call waits as well.
 */
public final class SteadyCalls implements AutoCloseable {

  /** What is called, with its number. */
  @FunctionalInterface
  public interface Call {
    void make(long number) throws Exception;
  }

  private final long begunNanos;
  private final long periodNanos;
  private final Call call;
  private final CompletableFuture<Void> outcome;
  private long[] nanos = new long[1 << 12];
  private volatile int made;
  private volatile long endNanos = Long.MAX_VALUE;

  private SteadyCalls(long begunNanos, int perSecond, Call call) {
    this.begunNanos = begunNanos;
    this.periodNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
    this.call = call;
    this.outcome = CompletableFuture.runAsync(this::run, work -> new Thread(work).start());
  }

  /**
   * Begins.
   *
   * @param begunNanos what {@link #percentile} counts from
   */
  public static SteadyCalls begin(long begunNanos, int perSecond, Call call) {
    return new SteadyCalls(begunNanos, perSecond, call);
  }

  private void run() {
    long due = begunNanos;
    while (due - endNanos < 0 || endNanos == Long.MAX_VALUE) {
      long left = due - System.nanoTime();
      if (left > 0) {
        LockSupport.parkNanos(left);
        continue;
      }
      try {
        call.make(made);
      } catch (Exception e) {
        throw new IllegalStateException("Call " + made + " failed.", e);
      }
      if (made == nanos.length) {
        nanos = Arrays.copyOf(nanos, nanos.length * 2);
      }
      nanos[made] = System.nanoTime() - due;
      made++;
      due += periodNanos;
    }
  }

  /** {@return how many calls were made} */
  public long made() {
    return made;
  }

  /** Makes the calls that are due by now, and ends; fails if a call did. */
  @Override
  public void close() {
    endNanos = System.nanoTime();
    outcome.join();
  }

  /**
   * {@return milliseconds that this part of the calls that were due in that time took at most} To
   * be asked once it is closed.
   *
   * @param fromSeconds since the beginning
   * @param toSeconds since the beginning
   * @param part from 0 to 1
   */
  public double percentile(double fromSeconds, double toSeconds, double part) {
    int from = (int) Math.min(made, Math.ceil(fromSeconds * 1e9 / periodNanos));
    int to = (int) Math.min(made, Math.ceil(toSeconds * 1e9 / periodNanos));
    if (from >= to) {
      throw new IllegalArgumentException(
          "No call was due from second " + fromSeconds + " to " + toSeconds + ".");
    }
    long[] sorted = Arrays.copyOfRange(nanos, from, to);
    Arrays.sort(sorted);
    int place = (int) Math.ceil(part * sorted.length) - 1;
    return sorted[Math.max(0, place)] / 1e6;
  }
}
