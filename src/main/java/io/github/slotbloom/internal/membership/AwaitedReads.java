package io.github.slotbloom.internal.membership;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.internal.background.Background;
import io.github.slotbloom.internal.context.Waiting;
import io.github.slotbloom.internal.time.Deadline;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Reads that callers wait for, each in a thread of its own, so that a caller can give it up when a
 * stalled database blocks it. It keeps its thread then, so the number of reads is limited.
 * Thread-safe.
 */
final class AwaitedReads {

  /** More than most pools have connections. */
  private static final int MOST_READS = 64;

  private final Background io;
  private final Waiting waiting;
  private final Semaphore reads = new Semaphore(MOST_READS, true);

  AwaitedReads(FilterName filter, Background io) {
    this.io = io;
    this.waiting = new Waiting(filter);
  }

  /**
   * Returns what a read finds. One that fails is repeated while that may help.
   *
   * @throws FilterUnavailableException if none succeeded in time
   */
  <T> T await(Supplier<T> read, Deadline deadline) {
    return waiting.forOutcome(
        () -> {
          if (!reads.tryAcquire(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
            throw new TimeoutException("the maximum number of reads is already waiting");
          }
          return io.supply(read).whenComplete((answer, e) -> reads.release());
        },
        deadline);
  }
}
