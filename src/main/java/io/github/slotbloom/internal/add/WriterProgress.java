package io.github.slotbloom.internal.add;

import io.github.slotbloom.internal.fold.Backlog;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Records what the writer does at the moment and its last failure, for callers who give up waiting.
 * One thread writes it, and any thread reads it.
 */
final class WriterProgress {

  private static final String NO_ANSWER =
      "the database did not answer in time, or the pool had no free connection";

  enum Phase {
    RESTING,
    WRITING,
    AWAITING_FOLDING,
    AWAITING_GROWTH,
    AWAITING_LOCK
  }

  private final Backlog backlog;
  private volatile Phase phase = Phase.RESTING;
  private volatile @Nullable Throwable lastFailure;

  WriterProgress(Backlog backlog) {
    this.backlog = backlog;
  }

  void enter(Phase next) {
    phase = next;
  }

  /** Sets why nothing was written last; null if nothing is wrong. */
  void failed(@Nullable Throwable failure) {
    lastFailure = failure;
  }

  <T> T whileLocking(Supplier<T> statement) {
    phase = Phase.AWAITING_LOCK;
    try {
      return statement.get();
    } finally {
      phase = Phase.WRITING;
    }
  }

  /** Returns why nothing is written at the moment; null if all goes well. */
  @Nullable Trouble trouble() {
    Throwable failure = lastFailure;
    return switch (phase) {
      case AWAITING_FOLDING -> new Trouble(backlog.trouble(), failure);
      case AWAITING_GROWTH -> new Trouble("it waited for the filter to grow", failure);
      case AWAITING_LOCK -> new Trouble(WriteFailures.LOCK_AWAITED, failure);
      case RESTING, WRITING -> {
        if (failure != null) {
          yield new Trouble(WriteFailures.trouble(failure), failure);
        }
        yield phase == Phase.WRITING ? new Trouble(NO_ANSWER, null) : null;
      }
    };
  }
}
