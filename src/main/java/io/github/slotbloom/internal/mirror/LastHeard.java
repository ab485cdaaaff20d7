package io.github.slotbloom.internal.mirror;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * When the database was last heard of. Thread-safe.
 *
 * <p>A look at one clock takes as long as finding the bits of a key does, so a question looks at
 * the wall clock alone: that one goes on while a machine is suspended. What it lacks, {@link
 * #compareClocks} makes up for.
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

  /** Says that everything that was committed by then is known. */
  synchronized void hear(Moment begun) {
    if (begun.nanos() - heard.nanos() > 0) {
      heard = begun;
    }
  }

  /** The time since then, at most: not more than two milliseconds too long. */
  long atMostNanos() {
    // In this order: what is heard in between must not look as if the clock had been set back.
    Moment then = heard;
    long millis = time.wallMillis() - then.wallMillis();
    // Set back beyond that moment, it says nothing. It shows whole milliseconds.
    return millis < 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(millis + 1);
  }

  /** The time since then by whichever clock went further. */
  Duration age() {
    return Duration.ofNanos(time.nanosSince(heard));
  }

  /**
   * To be called often. A wall clock that was set back a little, or is slow, would make the moment
   * seem more recent than it is; from here on it does not.
   */
  synchronized void compareClocks() {
    Moment now = time.now();
    long passed = TimeUnit.NANOSECONDS.toMillis(now.nanos() - heard.nanos());
    if (passed > now.wallMillis() - heard.wallMillis()) {
      heard = new Moment(heard.nanos(), now.wallMillis() - passed);
    }
  }
}
