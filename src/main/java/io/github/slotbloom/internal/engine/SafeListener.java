package io.github.slotbloom.internal.engine;

import io.github.slotbloom.SlotBloomListener;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the listener of an application, and keeps its exceptions away from the library's threads.
 */
final class SafeListener implements SlotBloomListener {

  private static final Logger log = LoggerFactory.getLogger(SafeListener.class);

  private final SlotBloomListener listener;

  SafeListener(SlotBloomListener listener) {
    this.listener = listener;
  }

  private static void safely(Runnable call) {
    try {
      call.run();
    } catch (RuntimeException | Error e) {
      log.warn("a SlotBloomListener threw", e);
    }
  }

  @Override
  public void nearlyFull(String filter, long keysAdded, long capacity) {
    safely(() -> listener.nearlyFull(filter, keysAdded, capacity));
  }

  @Override
  public void rotationFailed(String filter, String reason) {
    safely(() -> listener.rotationFailed(filter, reason));
  }

  @Override
  public void growthFailed(String filter, String reason) {
    safely(() -> listener.growthFailed(filter, reason));
  }

  @Override
  public void capacityReached(String filter, long keysAdded, long capacity) {
    safely(() -> listener.capacityReached(filter, keysAdded, capacity));
  }

  @Override
  public void lagging(String filter, Duration age) {
    safely(() -> listener.lagging(filter, age));
  }

  @Override
  public void retrying(String filter, int attempt, Exception reason) {
    safely(() -> listener.retrying(filter, attempt, reason));
  }

  @Override
  public void reloading(String filter, String reason) {
    safely(() -> listener.reloading(filter, reason));
  }

  @Override
  public void expired(String filter) {
    safely(() -> listener.expired(filter));
  }

  @Override
  public void weakDurability(String finding) {
    safely(() -> listener.weakDurability(finding));
  }

  @Override
  public void durabilityRestored() {
    safely(listener::durabilityRestored);
  }

  @Override
  public void severalPrimaries(String finding) {
    safely(() -> listener.severalPrimaries(finding));
  }
}
