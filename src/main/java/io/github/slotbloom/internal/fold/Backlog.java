package io.github.slotbloom.internal.fold;

import io.github.slotbloom.internal.time.Deadline;
import java.util.concurrent.TimeUnit;

/**
 * Tracks how far folding is behind the journal, as far as this process knows, and limits how far it
 * may fall behind.
 *
 * <p>Every process that opens the filter, and every lookup without a mirror, reads the entries that
 * wait to be folded. Adding must therefore not outrun folding for long. From half of the limit on,
 * the writer pauses before each transaction. The pause grows as room runs out, so a fold that takes
 * minutes slows callers down but does not stop them. At the limit the writer waits. Thread-safe.
 */
public final class Backlog {

  /** With this pause, even a limit of a few thousand entries lasts minutes. */
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private final long limit;
  private long lastSeq;
  private long foldedSeq;

  /**
   * @param limit the number of entries that may wait
   */
  public Backlog(long limit) {
    this.limit = limit;
  }

  /** Takes in the last sequence number of the journal and the last one that is folded. */
  public synchronized void heard(long lastSeq, long foldedSeq) {
    this.lastSeq = lastSeq;
    this.foldedSeq = foldedSeq;
    wake();
  }

  /** Returns the last known sequence number of the journal. */
  public synchronized long lastSeq() {
    return lastSeq;
  }

  /** Returns the last sequence number that is known to be folded. */
  public synchronized long foldedSeq() {
    return foldedSeq;
  }

  /** Returns the number of entries that are known to wait. */
  public synchronized long entries() {
    return Math.max(0, lastSeq - foldedSeq);
  }

  public long limit() {
    return limit;
  }

  /** Takes in the last sequence number of the journal. */
  public synchronized void appended(long seq) {
    lastSeq = seq;
  }

  /** Takes in the last sequence number that is folded. */
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

  /** Returns true if the writer should {@link #await}. */
  public synchronized boolean holdsBack() {
    return pauseNanos() > 0;
  }

  /** Returns how long to pause before the next transaction. */
  public synchronized long pauseNanos() {
    long half = limit / 2;
    double used = (double) Math.max(0, lastSeq - foldedSeq - half) / (limit - half);
    return (long) (LONGEST_PAUSE_NANOS * Math.min(1, used * used));
  }

  /**
   * Pauses, then waits until there is room or the deadline has passed. A pause leaves at least half
   * of the time to the transaction.
   *
   * @return true if there is room
   */
  public synchronized boolean await(Deadline deadline) throws InterruptedException {
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

  /** Returns the reason for callers that are held back, as part of a sentence. */
  public synchronized String trouble() {
    return "folding must catch up first: "
        + (lastSeq - foldedSeq)
        + " journal entries are waiting, and the filter's backlogLimit is "
        + limit
        + "; if folding fails, the log has a warning";
  }
}
