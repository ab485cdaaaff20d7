package io.github.slotbloom.cli.terminal;

import io.github.slotbloom.SlotBloomListener;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/** Tells the user about events of the library while a command works. */
public final class Narrator implements SlotBloomListener {

  /** Deadlocks and similar failures pass sooner, and need no message. */
  private static final int ATTEMPTS_BEFORE_A_WORD = 6;

  private final Duration timeout;
  private final boolean acknowledgesKeys;
  private final Messages messages;
  private final AtomicLong toldAt = new AtomicLong();

  /**
   * @param timeout how long the library tries
   * @param acknowledgesKeys true if the user must be able to rely on what the command recorded;
   *     only then settings of the server that weaken this are told
   */
  public Narrator(Duration timeout, boolean acknowledgesKeys, Messages messages) {
    this.timeout = timeout;
    this.acknowledgesKeys = acknowledgesKeys;
    this.messages = messages;
  }

  @Override
  public void retrying(String filter, int attempt, Exception reason) {
    boolean away = Connectivity.isLost(reason);
    if ((away || attempt >= ATTEMPTS_BEFORE_A_WORD) && notToldLately()) {
      messages.notice(
          (away ? "The database does not answer (" : "The command cannot go on yet (")
              + Connectivity.describe(reason)
              + "); trying again for up to "
              + timeout.toSeconds()
              + " s ...");
    }
  }

  private boolean notToldLately() {
    long now = System.nanoTime();
    long before = toldAt.get();
    return (before == 0 || now - before > timeout.toNanos()) && toldAt.compareAndSet(before, now);
  }

  @Override
  public void capacityReached(String filter, long keysAdded, long capacity) {
    // A filter that rejects keys reports this by itself.
    if (keysAdded > capacity) {
      messages.notice(
          String.format(
              Locale.ROOT,
              "Filter %s is full: it holds %,d of %,d keys, and its error rate rises from here.",
              filter,
              keysAdded,
              capacity));
    }
  }

  @Override
  public void growthFailed(String filter, String reason) {
    messages.notice("Filter " + filter + " cannot grow by itself at present: " + reason);
  }

  @Override
  public void rotationFailed(String filter, String reason) {
    messages.notice(
        "Filter "
            + filter
            + " cannot prepare its next bucket at present, and its keys live longer than they should: "
            + reason);
  }

  @Override
  public void weakDurability(String finding) {
    if (acknowledgesKeys) {
      messages.notice("Warning: " + finding);
    }
  }

  @Override
  public void durabilityRestored() {
    if (acknowledgesKeys) {
      messages.notice("The server's settings are durable again.");
    }
  }

  @Override
  public void severalPrimaries(String finding) {
    messages.notice("Warning: " + finding);
  }

  @Override
  public void groupHidden(String finding) {
    messages.notice("Warning: " + finding);
  }

  @Override
  public void migrationWaits(Duration limit) {
    messages.notice(
        "Another process makes or updates the tables; waiting for up to "
            + limit.toSeconds()
            + " s ...");
  }
}
