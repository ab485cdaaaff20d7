package io.github.slotbloom.internal.mirror;

import io.github.slotbloom.internal.time.Moment;
import io.github.slotbloom.internal.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * The last moment at which the database was heard of. Thread-safe.
 *
 * <p>Reading one clock takes as long as finding the bits of a key. So a lookup reads only the wall
 * clock, which also runs while a machine is suspended. {@link #compareClocks} makes up for the
 * faults of that clock.
 */
final class LastHeard {

  private final TimeSource time;
  private volatile Moment heard;

  LastHeard(TimeSource time) {
    this.time = time;
    Moment now = time.now();
    long ages = Long.MAX_VALUE / 4;
    heard = new Moment(now.nanos() - ages, now.wallMillis() - TimeUnit.NANOSECONDS.toMillis(ages));
  }

  /** Records that everything committed by that moment is known. */
  synchronized void hear(Moment begun) {
    if (begun.nanos() - heard.nanos() > 0) {
      heard = begun;
    }
  }

  /**
   * Returns an upper bound of the time since then, in nanoseconds. It is at most two milliseconds
   * too long.
   */
  long atMostNanos() {
    // The order matters: if news arrives in between, the clock must not seem to have been set back.
    Moment then = heard;
    long millis = time.wallMillis() - then.wallMillis();
    // A clock that was set back beyond that moment tells nothing. It counts whole milliseconds.
    return millis < 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(millis + 1);
  }

  /** Returns the time since then, by the clock that advanced further. */
  Duration age() {
    return Duration.ofNanos(time.nanosSince(heard));
  }

  /**
   * Corrects the recorded moment if the wall clock was set back a little or is slow. Without this,
   * the moment would seem more recent than it is. Must be called often.
   */
  synchronized void compareClocks() {
    Moment now = time.now();
    long passed = TimeUnit.NANOSECONDS.toMillis(now.nanos() - heard.nanos());
    if (passed > now.wallMillis() - heard.wallMillis()) {
      heard = new Moment(heard.nanos(), now.wallMillis() - passed);
    }
  }
}
