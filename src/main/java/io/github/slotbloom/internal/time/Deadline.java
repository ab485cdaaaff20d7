package io.github.slotbloom.internal.time;

import java.time.Duration;

/** The time by which a call must have returned. */
public final class Deadline {

  private final TimeSource time;
  private final long atNanos;
  private final Duration timeout;

  private Deadline(TimeSource time, Duration timeout) {
    this.time = time;
    this.timeout = timeout;
    this.atNanos = time.nanoTime() + timeout.toNanos();
  }

  public static Deadline in(TimeSource time, Duration timeout) {
    return new Deadline(time, timeout);
  }

  /** Returns a deadline of the same timeout that begins now. */
  public Deadline renewed() {
    return in(time, timeout);
  }

  /** Returns the clock that it goes by. */
  public TimeSource time() {
    return time;
  }

  public long remainingNanos() {
    return atNanos - time.nanoTime();
  }

  /** Returns the time since it was made. */
  public Duration elapsed() {
    return timeout.minusNanos(remainingNanos());
  }

  public boolean passed() {
    return remainingNanos() <= 0;
  }

  /** Returns the timeout that it was made from, in words. */
  public String timeout() {
    long millis = timeout.toMillis();
    return millis % 1000 == 0 ? millis / 1000 + " s" : millis + " ms";
  }
}
