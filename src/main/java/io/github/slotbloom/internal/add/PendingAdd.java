package io.github.slotbloom.internal.add;

import io.github.slotbloom.internal.engine.Deadline;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

/** Keys that wait to be written, all in one transaction. */
public final class PendingAdd {

  private enum State {
    QUEUED,
    TAKEN,
    /** Given up before the writer took it. */
    NEVER_WRITTEN,
    /** Given up after the writer took it. */
    PERHAPS_WRITTEN
  }

  final long[] hashes;
  public final Deadline deadline;
  public final CompletableFuture<boolean[]> answers = new CompletableFuture<>();
  private final AtomicReference<State> state = new AtomicReference<>(State.QUEUED);

  public PendingAdd(long[] hashes, Deadline deadline) {
    this.hashes = hashes;
    this.deadline = deadline;
  }

  /** Whether the caller gave up. */
  boolean isOver() {
    State now = state.get();
    return now == State.NEVER_WRITTEN || now == State.PERHAPS_WRITTEN;
  }

  /**
   * Called by the writer when it has the filter's lock, before it writes; false if the caller gave
   * up.
   */
  boolean take() {
    return state.compareAndSet(State.QUEUED, State.TAKEN) || state.get() == State.TAKEN;
  }

  /**
   * Called when nobody waits any more, perhaps by several at once. Returns whether it is certain
   * that the keys never get written.
   */
  public boolean abandon() {
    return state.updateAndGet(PendingAdd::givenUp) == State.NEVER_WRITTEN;
  }

  private static State givenUp(State now) {
    return switch (now) {
      case QUEUED -> State.NEVER_WRITTEN;
      case TAKEN -> State.PERHAPS_WRITTEN;
      case NEVER_WRITTEN, PERHAPS_WRITTEN -> now;
    };
  }
}
