package io.github.slotbloom.internal.background;

import io.github.slotbloom.internal.engine.Deadline;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/** Waits between attempts: longer each time, up to half a second, and never two processes alike. */
public final class Backoff {

  private static final long FIRST_NANOS = 2_000_000;
  private static final long MOST_NANOS = 500_000_000;

  private long nanos = FIRST_NANOS;

  /**
   * Waits, but not beyond the deadline.
   *
   * @throws InterruptedException if the thread is interrupted
   */
  public void await(Deadline deadline) throws InterruptedException {
    long pause = nanos / 2 + ThreadLocalRandom.current().nextLong(nanos / 2 + 1);
    LockSupport.parkNanos(this, Math.max(0, Math.min(pause, deadline.remainingNanos())));
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    nanos = Math.min(MOST_NANOS, nanos * 2);
  }
}
