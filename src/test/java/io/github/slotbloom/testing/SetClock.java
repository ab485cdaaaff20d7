package io.github.slotbloom.testing;

import io.github.slotbloom.internal.mirror.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Goes as the clocks of the machine do, ahead by what a test says. */
public final class SetClock implements TimeSource {

  private final AtomicLong ahead = new AtomicLong();

  public void advance(Duration by) {
    ahead.addAndGet(by.toNanos());
  }

  @Override
  public long nanoTime() {
    return System.nanoTime() + ahead.get();
  }

  @Override
  public long wallMillis() {
    return System.currentTimeMillis() + ahead.get() / 1_000_000;
  }
}
