package io.github.slotbloom.internal.ask;

import io.github.slotbloom.internal.background.Background;
import io.github.slotbloom.internal.engine.Deadline;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Reads in threads of its own, so that a caller can give up a read that a stalled database blocks.
 * Such a read keeps its thread, so the number of threads is limited. If all are taken, a caller
 * waits in its own thread. Thread-safe.
 */
final class LimitedReads {

  private final Background background;
  private final Semaphore places;

  LimitedReads(Background background, int most) {
    this.background = background;
    this.places = new Semaphore(most, true);
  }

  /**
   * Starts a read when there is a place.
   *
   * @throws TimeoutException if there is no place until the deadline
   */
  <T> CompletableFuture<T> begin(Supplier<T> read, Deadline deadline)
      throws InterruptedException, TimeoutException {
    if (!places.tryAcquire(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
      throw new TimeoutException("as many reads as there may be are waiting for one");
    }
    return background.supply(read).whenComplete((answer, e) -> places.release());
  }
}
