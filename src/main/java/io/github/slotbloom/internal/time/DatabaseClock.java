package io.github.slotbloom.internal.time;

import io.github.slotbloom.core.Window;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The time of the database clock, as far as this process knows without asking. It was read at
 * times, and the time since then was measured by the clocks of this machine. Thread-safe.
 */
public final class DatabaseClock {

  /**
   * A reading.
   *
   * @param micros what the clock said, in microseconds since the start of 1970 in UTC
   * @param asked the moment at which the query was sent
   * @param answered the monotonic clock when the answer was there
   */
  private record Reading(long micros, Moment asked, long answered) {
    long after(long nanos) {
      return micros + TimeUnit.NANOSECONDS.toMicros(nanos);
    }
  }

  /** How far the clock may be ahead of that of this machine, at least. */
  private static final Duration MOST_AHEAD = Duration.ofHours(1);

  private final TimeSource time;
  private volatile @Nullable Reading newest;

  /**
   * Creates a clock that was not read yet.
   *
   * @param time the clocks of this machine
   */
  public DatabaseClock(TimeSource time) {
    this.time = time;
  }

  /**
   * Returns how far the clock may be ahead of that of this machine before it is no longer believed,
   * in microseconds: a bucket of the window, but at least an hour.
   */
  public static long mostAheadMicros(Window window) {
    Duration bucket = window.bucketLength();
    return (bucket.compareTo(MOST_AHEAD) > 0 ? bucket : MOST_AHEAD).toMillis() * 1000;
  }

  /** Returns true if the database clock can be right, by that of this machine. */
  public static boolean isCredible(Window window, long micros, TimeSource time) {
    return micros - time.wallMillis() * 1000 <= mostAheadMicros(window);
  }

  /**
   * Returns the bucket that a time of the database lies in.
   *
   * @return {@link Long#MIN_VALUE} if that clock cannot be right, so that no keys expire by mistake
   */
  public static long credibleBucket(Window window, long micros, TimeSource time) {
    return isCredible(window, micros, time) ? window.bucketAt(micros) : Long.MIN_VALUE;
  }

  /**
   * Takes in a reading whose answer has just come.
   *
   * @param asked the moment at which the query was sent
   * @param micros what the clock said
   */
  public void hear(Moment asked, long micros) {
    newest = new Reading(micros, asked, time.nanoTime());
  }

  /**
   * Returns the bucket that the clock is in, or an earlier one. A clock that is far ahead of that
   * of this machine is not believed, so that no keys expire by mistake.
   *
   * @param window null if keys never expire
   * @return {@link Long#MIN_VALUE} if keys never expire, or if the clock was never read or is not
   *     believed
   */
  public long bucketAtLeast(@Nullable Window window) {
    Reading reading = newest;
    return window == null || reading == null
        ? Long.MIN_VALUE
        : credibleBucket(window, reading.after(time.nanoTime() - reading.answered()), time);
  }

  /**
   * Returns the bucket that the clock is in, or a later one.
   *
   * @return {@link Long#MAX_VALUE} if keys never expire, or if the clock was never read
   */
  public long bucketAtMost(@Nullable Window window) {
    Reading reading = newest;
    return window == null || reading == null
        ? Long.MAX_VALUE
        : window.bucketAt(reading.after(time.nanosSince(reading.asked())));
  }
}
