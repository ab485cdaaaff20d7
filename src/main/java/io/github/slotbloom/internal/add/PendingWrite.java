package io.github.slotbloom.internal.add;

import io.github.slotbloom.internal.time.Deadline;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Keys that wait to be added or removed, all in one transaction. */
public final class PendingWrite {

  private enum State {
    QUEUED,
    TAKEN,
    /** The caller gave up before the writer took it. */
    NEVER_WRITTEN,
    /** The caller gave up after the writer took it. */
    PERHAPS_WRITTEN
  }

  /** The operation on the keys. */
  public enum Kind {
    ADD(
        "add to",
        "None of these keys was recorded.",
        "These keys may have been recorded, but no caller was told that they are new.",
        "Add them again to be sure that they are recorded; the answer may then be that they were"
            + " seen."),
    REMOVE(
        "remove from",
        "None of these keys was removed.",
        "These keys may have been removed, but no caller was told so.",
        "Removing them again is safe.");

    /** The words of messages about it. */
    final String verb;

    final String nothingDone;
    final String perhapsDone;
    final String again;

    Kind(String verb, String nothingDone, String perhapsDone, String again) {
      this.verb = verb;
      this.nothingDone = nothingDone;
      this.perhapsDone = perhapsDone;
      this.again = again;
    }
  }

  final Kind kind;
  final long[] hashes;

  /** When the keys came up; null if that does not matter. */
  final @Nullable EventTime event;

  public final Deadline deadline;
  public final CompletableFuture<boolean[]> answers = new CompletableFuture<>();
  private final AtomicReference<State> state = new AtomicReference<>(State.QUEUED);

  /** True for each key that is too old to be told whether it is new; set before the answers. */
  private volatile boolean[] expired = {};

  public PendingWrite(Kind kind, long[] hashes, Deadline deadline) {
    this(kind, hashes, null, deadline);
  }

  /**
   * @param event when the keys came up; null if that does not matter
   */
  public PendingWrite(Kind kind, long[] hashes, @Nullable EventTime event, Deadline deadline) {
    this.kind = kind;
    this.hashes = hashes;
    this.event = event;
    this.deadline = deadline;
  }

  public boolean adds() {
    return kind == Kind.ADD;
  }

  public int size() {
    return hashes.length;
  }

  void answer(boolean[] fresh, boolean[] tooOld) {
    expired = tooOld;
    answers.complete(fresh);
  }

  /**
   * Returns for each key whether it was too old to be told whether it is new. Valid once the
   * answers are there.
   */
  public boolean[] expired() {
    return expired;
  }

  /** Returns true if the caller gave up. */
  boolean isAbandoned() {
    State now = state.get();
    return now == State.NEVER_WRITTEN || now == State.PERHAPS_WRITTEN;
  }

  /**
   * Takes the keys for writing. The writer calls it right before it writes. Returns false if the
   * caller gave up.
   */
  boolean take() {
    return state.compareAndSet(State.QUEUED, State.TAKEN) || state.get() == State.TAKEN;
  }

  /** Takes in that what was written was not recorded, for certain. */
  void putBack() {
    state.compareAndSet(State.TAKEN, State.QUEUED);
  }

  /**
   * Gives up when nobody waits for the keys anymore. Several threads may call it at once. Returns
   * true if it is certain that nothing of it is ever written.
   */
  public boolean abandon() {
    return state.updateAndGet(PendingWrite::givenUp) == State.NEVER_WRITTEN;
  }

  private static State givenUp(State now) {
    return switch (now) {
      case QUEUED -> State.NEVER_WRITTEN;
      case TAKEN -> State.PERHAPS_WRITTEN;
      case NEVER_WRITTEN, PERHAPS_WRITTEN -> now;
    };
  }
}
