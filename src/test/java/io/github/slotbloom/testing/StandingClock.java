package io.github.slotbloom.testing;

import io.github.slotbloom.internal.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still until a test moves it. */
public final class StandingClock implements TimeSource {

  /** Negative at first, as that of a machine may be. */
  private final AtomicLong nanos = new AtomicLong(-5);

  private volatile Duration eachLookTakes = Duration.ZERO;

  public void advance(Duration by) {
    nanos.addAndGet(by.toNanos());
  }

  /** Lets the clock run on by so much whenever somebody looks at it. */
  public void eachLookTakes(Duration duration) {
    eachLookTakes = duration;
  }

  @Override
  public long nanoTime() {
    return nanos.addAndGet(eachLookTakes.toNanos());
  }

  @Override
  public long wallMillis() {
    return Duration.ofNanos(nanoTime()).toMillis();
  }
}
