package io.github.slotbloom.cli.terminal;

import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.SlotBloomListener;
import java.time.Duration;
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
  public void on(SlotBloomEvent event) {
    if (event instanceof SlotBloomEvent.Retrying failed) {
      tellOfRetry(failed.attempt(), failed.cause());
    } else if (event instanceof SlotBloomEvent.GrowthFailed
        || event instanceof SlotBloomEvent.RotationFailed
        || event instanceof SlotBloomEvent.MigrationWaits
        || (event instanceof SlotBloomEvent.DurabilityRestored && acknowledgesKeys)
        // A filter that rejects keys reports this itself.
        || (event instanceof SlotBloomEvent.CapacityReached full
            && full.keys() > full.capacity())) {
      messages.notice(event.message());
    } else if (event instanceof SlotBloomEvent.PrimaryInDoubt
        || (event instanceof SlotBloomEvent.WeakDurability && acknowledgesKeys)) {
      messages.notice("Warning: " + event.message());
    }
  }

  private void tellOfRetry(int attempt, Exception reason) {
    boolean away = Connectivity.isLost(reason);
    if ((away || attempt >= ATTEMPTS_BEFORE_A_WORD) && notToldLately()) {
      messages.notice(
          (away ? "The database does not answer (" : "The command cannot continue yet (")
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
}
