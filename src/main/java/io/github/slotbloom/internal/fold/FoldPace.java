package io.github.slotbloom.internal.fold;

import io.github.slotbloom.internal.time.TimeSource;
import java.util.concurrent.TimeUnit;

/**
 * Decides when the next batch of journal entries is folded.
 *
 * <p>What folding costs is the number of rows that it writes. A batch of {@code b} keys with {@code
 * s} slots each touches {@code S (1 - exp(-b s / S))} of the {@code S} slots of a generation: the
 * more keys, the fewer rows for each, and never more than {@code S}. (This is the expected number
 * of occupied urns; Johnson and Kotz, "Urn Models and Their Application", 1977.) So a batch waits
 * while keys keep coming, for nine times as long as the last batch took. Folding then takes a tenth
 * of the time at most, and what a batch took says how large this generation is on this server.
 *
 * <p>A batch waits no longer
 *
 * <ul>
 *   <li>once nobody has added for a moment, because more waiting would bring no more keys;
 *   <li>once this process closes the filter, if it added few keys. With many, a process that ends
 *       would only begin what the next one does again, and wait for that;
 *   <li>once a quarter of the entries wait that may wait, or as many keys as everyone can read
 *       quickly who opens the filter.
 * </ul>
 *
 * <p>Thread-safe.
 */
final class FoldPace {

  /** How often to look again whether a batch is due. */
  static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** Longer than it takes this process to hear what others appended. */
  static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(1);

  static final long SHORTEST_REST_NANOS = TimeUnit.SECONDS.toNanos(1);
  static final long LONGEST_REST_NANOS = TimeUnit.MINUTES.toNanos(5);

  /**
   * The shortest rest where a burst of keys is likely to be over soon, and of a process that has
   * not folded yet and does not add.
   */
  static final long REST_OF_BURST_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Nobody adds so many keys one by one within a second. */
  static final long KEYS_OF_BURST = 10_000;

  /** A tenth of the time for folding leaves nine for the rest. */
  private static final int REST_PER_WORK = 9;

  /** 32 MiB of hashes. */
  static final long MOST_KEYS = 4 << 20;

  private static final int PART_OF_LIMIT = 4;
  private static final long LONGEST_FAILURE_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final TimeSource time;
  private final Backlog backlog;
  private long appendedKeys;
  private long end;
  private long endMovedAt;
  private long folded;
  private long restsSince;
  private long lastBatchNanos;
  private long batchNanos;
  private long failurePauseNanos = LOOK_NANOS;
  private long notBefore;
  private boolean closing;

  FoldPace(TimeSource time, Backlog backlog) {
    this.time = time;
    this.backlog = backlog;
    long now = time.nanoTime();
    endMovedAt = now;
    restsSince = now;
    notBefore = now;
  }

  /** Takes in how many keys this process appended. */
  synchronized void appended(long keys) {
    appendedKeys += keys;
  }

  /** Takes in that this process adds no more keys. */
  synchronized void closing() {
    closing = true;
  }

  /**
   * Returns how long to wait before asking again; 0 if a batch is due. What others appended or
   * folded counts from the moment at which this process hears of it.
   */
  synchronized long nanosToWait() {
    long now = time.nanoTime();
    hear(now);
    if (now - notBefore < 0) {
      return notBefore - now;
    }
    return batchNanos > 0 || isDue(now) ? 0 : LOOK_NANOS;
  }

  private void hear(long now) {
    boolean waited = end > folded;
    if (backlog.lastSeq() != end) {
      end = backlog.lastSeq();
      endMovedAt = now;
    }
    if (backlog.foldedSeq() != folded) {
      folded = backlog.foldedSeq();
      restsSince = now;
      appendedKeys = 0;
    }
    if (!waited && end > folded) {
      // After an idle time the rest begins with the first key.
      restsSince = now;
    }
  }

  private boolean isDue(long now) {
    return (closing && appendedKeys < KEYS_OF_BURST)
        || end <= folded
        || now - endMovedAt >= QUIET_NANOS
        || now - restsSince >= restNanos()
        || (end - folded) * PART_OF_LIMIT >= backlog.limit()
        || appendedKeys >= MOST_KEYS;
  }

  private long restNanos() {
    boolean burst = appendedKeys >= KEYS_OF_BURST;
    boolean others = appendedKeys == 0 && lastBatchNanos == 0;
    long least = burst || others ? REST_OF_BURST_NANOS : SHORTEST_REST_NANOS;
    return Math.max(least, Math.min(LONGEST_REST_NANOS, REST_PER_WORK * lastBatchNanos));
  }

  /** Takes in that a transaction of a batch took place, and how long it took. */
  synchronized void worked(long nanos) {
    batchNanos += Math.max(1, nanos);
  }

  /** Takes in that the batch is folded. */
  synchronized void folded() {
    lastBatchNanos = batchNanos;
    batchNanos = 0;
    appendedKeys = 0;
    folded = backlog.foldedSeq();
    restsSince = time.nanoTime();
    failurePauseNanos = LOOK_NANOS;
  }

  /** Takes in that there was nothing to fold. */
  synchronized void nothingDone() {
    batchNanos = 0;
    failurePauseNanos = LOOK_NANOS;
  }

  /** Takes in that folding failed. The pauses after failures become longer. */
  synchronized void failed() {
    batchNanos = 0;
    failurePauseNanos = Math.min(LONGEST_FAILURE_PAUSE_NANOS, 2 * failurePauseNanos);
    notBefore = time.nanoTime() + failurePauseNanos;
  }
}
