package io.github.slotbloom.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Reads in threads of ours, so that a caller can give up a read that a stalled database holds.
 * Since such a read keeps its thread, there are only so many: who comes when all are taken waits in
 * a thread of its own. Thread-safe.
 */
final class LimitedReads {

  private final Executor executor;
  private final Semaphore places;

  LimitedReads(Executor executor, int most) {
    this.executor = executor;
    this.places = new Semaphore(most, true);
  }

  /**
   * Begins a read when there is a place.
   *
   * @throws TimeoutException if there is none until the deadline
   * @throws java.util.concurrent.RejectedExecutionException if the executor was shut down
   */
  <T> CompletableFuture<T> begin(Supplier<T> read, Deadline deadline)
      throws InterruptedException, TimeoutException {
    if (!places.tryAcquire(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
      throw new TimeoutException("as many reads as there may be are waiting for one");
    }
    try {
      return CompletableFuture.supplyAsync(() -> inPlace(read), executor);
    } catch (RuntimeException | Error e) {
      places.release();
      throw e;
    }
  }

  private <T> T inPlace(Supplier<T> read) {
    try {
      return read.get();
    } finally {
      places.release();
    }
  }
}
