package io.github.slotbloom.internal.add;

import io.github.slotbloom.internal.engine.Deadline;
import java.util.concurrent.TimeUnit;

/**
 * How far folding is behind the journal, as far as this process knows, and how far it may be.
 *
 * <p>What waits to be folded is read by whoever opens the filter, and by every question that has no
 * mirror. So adding goes no faster than folding for long. From half of the limit on the writer
 * pauses before each transaction, the longer the less room is left, so that a fold that takes
 * minutes slows callers down and does not stop them; at the limit it waits. Thread-safe.
 */
public final class Backlog {

  /** Even a limit of a few thousand entries lasts minutes so. */
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private final long limit;
  private long lastSeq;
  private long foldedSeq;

  /**
   * @param limit entries that may wait
   */
  public Backlog(long limit) {
    this.limit = limit;
  }

  /** Says where the journal ends, and how far it is folded. */
  public synchronized void heard(long lastSeq, long foldedSeq) {
    this.lastSeq = lastSeq;
    this.foldedSeq = foldedSeq;
    wake();
  }

  /** Where the journal ends, as far as is known. */
  public synchronized long lastSeq() {
    return lastSeq;
  }

  /** Says where the journal ends. */
  synchronized void appended(long seq) {
    lastSeq = seq;
  }

  /** Says how far the journal is folded. */
  public synchronized void folded(long seq) {
    foldedSeq = seq;
    wake();
  }

  private synchronized void wake() {
    if (!isFull()) {
      notifyAll();
    }
  }

  private synchronized boolean isFull() {
    return lastSeq - foldedSeq >= limit;
  }

  /** Whether the writer should {@link #await}. */
  synchronized boolean holdsBack() {
    return pauseNanos() > 0;
  }

  /** How long to pause before the next transaction. */
  synchronized long pauseNanos() {
    long half = limit / 2;
    double used = (double) Math.max(0, lastSeq - foldedSeq - half) / (limit - half);
    return (long) (LONGEST_PAUSE_NANOS * Math.min(1, used * used));
  }

  /**
   * Pauses, then waits until there is room or the deadline has passed. A pause leaves at least half
   * of the time to the transaction.
   *
   * @return whether there is room
   */
  synchronized boolean await(Deadline deadline) throws InterruptedException {
    if (!isFull()) {
      waitFor(Math.min(pauseNanos(), deadline.remainingNanos() / 2));
    }
    while (isFull() && !deadline.passed()) {
      waitFor(deadline.remainingNanos());
    }
    return !isFull();
  }

  private synchronized void waitFor(long nanos) throws InterruptedException {
    TimeUnit.NANOSECONDS.timedWait(this, Math.max(1, nanos));
  }

  /** What callers are told whom it holds back. Part of a sentence. */
  synchronized String trouble() {
    return "folding has to catch up first: "
        + (lastSeq - foldedSeq)
        + " journal entries wait for it, and the backlogLimit of the filter's options is "
        + limit
        + "; a warning in the log tells if folding fails";
  }

  /** There was no room in time. */
  static final class FullException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    FullException(String trouble) {
      super(trouble);
    }
  }
}
