package io.github.slotbloom.testing;

import io.github.slotbloom.internal.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that runs like the machine's, ahead by an amount that a test sets. */
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
