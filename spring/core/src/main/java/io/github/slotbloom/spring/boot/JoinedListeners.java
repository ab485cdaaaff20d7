package io.github.slotbloom.spring.boot;

import io.github.slotbloom.SlotBloomListener;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells all listeners of the application. One that throws does not keep the others from it. */
final class JoinedListeners implements SlotBloomListener {

  private static final Logger log = LoggerFactory.getLogger(JoinedListeners.class);

  private final List<SlotBloomListener> listeners;

  JoinedListeners(List<SlotBloomListener> listeners) {
    this.listeners = listeners;
  }

  private void each(Consumer<SlotBloomListener> event) {
    for (SlotBloomListener listener : listeners) {
      try {
        event.accept(listener);
      } catch (RuntimeException e) {
        log.warn("listener {} failed", listener, e);
      }
    }
  }

  @Override
  public void nearlyFull(String filter, long keysAdded, long capacity) {
    each(listener -> listener.nearlyFull(filter, keysAdded, capacity));
  }

  @Override
  public void growthFailed(String filter, String reason) {
    each(listener -> listener.growthFailed(filter, reason));
  }

  @Override
  public void capacityReached(String filter, long keysAdded, long capacity) {
    each(listener -> listener.capacityReached(filter, keysAdded, capacity));
  }

  @Override
  public void lagging(String filter, Duration age) {
    each(listener -> listener.lagging(filter, age));
  }

  @Override
  public void retrying(String filter, int attempt, Exception reason) {
    each(listener -> listener.retrying(filter, attempt, reason));
  }

  @Override
  public void reloading(String filter, String reason) {
    each(listener -> listener.reloading(filter, reason));
  }

  @Override
  public void expired(String filter) {
    each(listener -> listener.expired(filter));
  }

  @Override
  public void rotationFailed(String filter, String reason) {
    each(listener -> listener.rotationFailed(filter, reason));
  }

  @Override
  public void weakDurability(String finding) {
    each(listener -> listener.weakDurability(finding));
  }

  @Override
  public void durabilityRestored() {
    each(SlotBloomListener::durabilityRestored);
  }

  @Override
  public void severalPrimaries(String finding) {
    each(listener -> listener.severalPrimaries(finding));
  }
}
