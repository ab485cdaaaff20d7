package io.github.slotbloom.internal.replace;

import io.github.slotbloom.internal.time.TimeSource;
import java.util.concurrent.TimeUnit;

/**
 * How fast keys are brought in by one process while others add theirs, who wait for the same lock:
 * many keys at a time while it is alone, few and with long rests while it is not. Not thread-safe.
 */
final class Pace {

  private static final int MOST_KEYS = 1024;

  /** The smallest number of keys per transaction. Most of the time is then spent on the commit. */
  private static final int FEWEST_KEYS = 256;

  private static final long LONGEST_REST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** So that most of those who come at any time find the lock free. */
  private static final int RESTS_AMONG_OTHERS = 3;

  private static final long MOST_CREDIT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final double keysPerSecond;
  private final TimeSource time;
  private int keys = FEWEST_KEYS;
  private boolean amongOthers = true;
  private long dueNanos;

  /**
   * @param keysPerSecond at most
   */
  Pace(double keysPerSecond, TimeSource time) {
    this.keysPerSecond = keysPerSecond;
    this.time = time;
    dueNanos = time.nanoTime();
  }

  /** How many keys the next transaction is to bring. */
  int keys() {
    return (int) Math.min(keys, Math.max(1, keysPerSecond / 4));
  }

  /** Hears whether others added keys between the last two transactions. */
  void sawOthers(boolean others) {
    amongOthers = others;
    keys = others ? Math.max(FEWEST_KEYS, keys / 2) : Math.min(MOST_KEYS, keys * 2);
  }

  /**
   * Leaves the lock to others for at least as long as it was taken from them, and keeps the pace
   * that was asked for. What was held up for long is not made up for at full speed.
   */
  void rest(int broughtKeys, long takenNanos) {
    long now = time.nanoTime();
    dueNanos =
        Math.max(dueNanos, now - MOST_CREDIT_NANOS)
            + (long) (broughtKeys / keysPerSecond * TimeUnit.SECONDS.toNanos(1));
    long rest = Math.min(LONGEST_REST_NANOS, takenNanos * (amongOthers ? RESTS_AMONG_OTHERS : 1));
    time.rest(this, Math.max(dueNanos - now, rest));
  }
}
