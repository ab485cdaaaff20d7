package io.github.slotbloom.perf.measure;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Makes calls at a steady rate, however long they take. Records when each call was due and how long
 * after that it was answered, so a call that is late because the one before it was slow counts as
 * slow. Callers take turns, so one slow call delays every n-th call.
 */
public final class SteadyCalls implements AutoCloseable {

  /** A call with its number. */
  @FunctionalInterface
  public interface Call {
    void make(long number) throws Exception;
  }

  /**
   * A period.
   *
   * @param fromSeconds its start, in seconds since the beginning
   * @param toSeconds its end, in seconds since the beginning
   */
  public record Period(double fromSeconds, double toSeconds) {}

  private final long begunNanos;
  private final long periodNanos;
  private final Call call;
  private final List<Caller> callers;
  private volatile long endNanos = Long.MAX_VALUE;

  private SteadyCalls(long begunNanos, int callers, int perSecond, Call call) {
    this.begunNanos = begunNanos;
    this.periodNanos = TimeUnit.SECONDS.toNanos(1) / perSecond;
    this.call = call;
    this.callers = IntStream.range(0, callers).mapToObj(i -> new Caller(i, callers)).toList();
  }

  /**
   * Begins to make calls.
   *
   * @param begunNanos the time that {@link #percentile} counts from
   * @param callers the number of threads that call
   * @param perSecond the calls per second of all threads together
   */
  public static SteadyCalls begin(long begunNanos, int callers, int perSecond, Call call) {
    SteadyCalls calls = new SteadyCalls(begunNanos, callers, perSecond, call);
    calls.callers.forEach(Caller::start);
    return calls;
  }

  /** {@return a number; all calls with lower numbers were made} */
  public long made() {
    return callers.stream().mapToLong(Caller::next).min().orElseThrow();
  }

  /** Makes the calls that are due by now, and ends. Fails if a call failed. */
  @Override
  public void close() {
    endNanos = System.nanoTime();
    callers.forEach(caller -> caller.outcome.join());
  }

  /**
   * {@return the time in milliseconds within which this part of the calls due in a period were
   * answered} Call it after {@link #close}.
   *
   * @param fromSeconds the start of the period, in seconds since the beginning
   * @param toSeconds the end of the period, in seconds since the beginning
   * @param part the part of the calls, from 0 to 1
   */
  public double percentile(double fromSeconds, double toSeconds, double part) {
    return percentile(List.of(new Period(fromSeconds, toSeconds)), part);
  }

  /** {@return the same for the calls due in several periods, all together} */
  public double percentile(List<Period> periods, double part) {
    long[] sorted = periods.stream().flatMapToLong(this::nanos).sorted().toArray();
    if (sorted.length == 0) {
      throw new IllegalArgumentException("No call was due in " + periods + ".");
    }
    int place = (int) Math.ceil(part * sorted.length) - 1;
    return sorted[Math.max(0, place)] / 1e6;
  }

  private LongStream nanos(Period period) {
    long from = (long) Math.ceil(period.fromSeconds() * 1e9 / periodNanos);
    long to = (long) Math.ceil(period.toSeconds() * 1e9 / periodNanos);
    return callers.stream().flatMapToLong(caller -> caller.between(from, to));
  }

  /** Makes every n-th call. */
  private final class Caller {
    private final int first;
    private final int step;
    private final CompletableFuture<Void> outcome = new CompletableFuture<>();
    private long[] nanos = new long[1 << 12];
    private volatile int made;

    Caller(int first, int step) {
      this.first = first;
      this.step = step;
    }

    void start() {
      new Thread(
              () -> {
                try {
                  run();
                  outcome.complete(null);
                } catch (Exception | Error e) {
                  outcome.completeExceptionally(
                      new IllegalStateException("Call " + next() + " failed.", e));
                }
              })
          .start();
    }

    private void run() throws Exception {
      long due = begunNanos + first * periodNanos;
      while (endNanos == Long.MAX_VALUE || due - endNanos < 0) {
        long left = due - System.nanoTime();
        if (left > 0) {
          LockSupport.parkNanos(left);
          continue;
        }
        call.make(next());
        int index = made;
        if (index == nanos.length) {
          nanos = Arrays.copyOf(nanos, nanos.length * 2);
        }
        nanos[index] = System.nanoTime() - due;
        made = index + 1;
        due += step * periodNanos;
      }
    }

    private long next() {
      return first + (long) made * step;
    }

    private LongStream between(long from, long to) {
      return IntStream.range(0, made)
          .filter(i -> first + (long) i * step >= from && first + (long) i * step < to)
          .mapToLong(i -> nanos[i]);
    }
  }
}
