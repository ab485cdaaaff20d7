package io.github.slotbloom.cli;

import io.github.slotbloom.event.SlotBloomListener;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;

/** Tells the user what the library meets while a command works. */
final class Narrator implements SlotBloomListener {

  /** Deadlocks and the like pass sooner, and are nobody's business. */
  private static final int ATTEMPTS_BEFORE_A_WORD = 6;

  private final Duration timeout;
  private final boolean overfills;
  private final AtomicBoolean told = new AtomicBoolean();

  /**
   * @param timeout how long the library tries
   * @param overfills whether the command goes on with a full filter
   */
  Narrator(Duration timeout, boolean overfills) {
    this.timeout = timeout;
    this.overfills = overfills;
  }

  @Override
  public void retrying(String filter, int attempt, Exception reason) {
    boolean away = Connectivity.isLost(reason);
    if ((away || attempt >= ATTEMPTS_BEFORE_A_WORD) && told.compareAndSet(false, true)) {
      Messages.notice(
          "The database does not answer ("
              + Connectivity.describe(reason)
              + "); trying again for up to "
              + timeout.toSeconds()
              + " s ...");
    }
  }

  @Override
  public void capacityReached(String filter, long keysAdded, long capacity) {
    if (overfills) {
      Messages.notice(
          String.format(
              Locale.ROOT,
              "Filter %s is full: it holds %,d of %,d keys, and its error rate rises from here.",
              filter,
              keysAdded,
              capacity));
    }
  }

  @Override
  public void weakDurability(String finding) {
    Messages.notice("Warning: " + finding);
  }
}
