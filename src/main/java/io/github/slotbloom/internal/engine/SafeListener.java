package io.github.slotbloom.internal.engine;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloomListener;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the listeners of an application, and keeps their exceptions away from the library's threads
 * and from each other.
 */
public final class SafeListener implements SlotBloomListener {

  private static final Logger log = LoggerFactory.getLogger(SafeListener.class);

  private final List<SlotBloomListener> listeners;

  /**
   * Creates a listener that calls others.
   *
   * @param listeners called in this order
   */
  public SafeListener(Collection<SlotBloomListener> listeners) {
    this.listeners = List.copyOf(listeners);
  }

  private void safely(Consumer<SlotBloomListener> call) {
    for (SlotBloomListener listener : listeners) {
      try {
        call.accept(listener);
      } catch (RuntimeException | Error e) {
        log.warn("a SlotBloomListener threw", e);
      }
    }
  }

  @Override
  public void opened(BloomFilter<?> filter) {
    safely(listener -> listener.opened(filter));
  }

  @Override
  public void closed(BloomFilter<?> filter) {
    safely(listener -> listener.closed(filter));
  }

  @Override
  public void added(String filter, int keys, int newKeys, Duration took) {
    safely(listener -> listener.added(filter, keys, newKeys, took));
  }

  @Override
  public void nearlyFull(String filter, long keysAdded, long capacity) {
    safely(listener -> listener.nearlyFull(filter, keysAdded, capacity));
  }

  @Override
  public void rotationFailed(String filter, String reason) {
    safely(listener -> listener.rotationFailed(filter, reason));
  }

  @Override
  public void growthFailed(String filter, String reason) {
    safely(listener -> listener.growthFailed(filter, reason));
  }

  @Override
  public void capacityReached(String filter, long keysAdded, long capacity) {
    safely(listener -> listener.capacityReached(filter, keysAdded, capacity));
  }

  @Override
  public void lagging(String filter, Duration age) {
    safely(listener -> listener.lagging(filter, age));
  }

  @Override
  public void retrying(String filter, int attempt, Exception reason) {
    safely(listener -> listener.retrying(filter, attempt, reason));
  }

  @Override
  public void reloading(String filter, String reason) {
    safely(listener -> listener.reloading(filter, reason));
  }

  @Override
  public void expired(String filter) {
    safely(listener -> listener.expired(filter));
  }

  @Override
  public void weakDurability(String finding) {
    safely(listener -> listener.weakDurability(finding));
  }

  @Override
  public void durabilityRestored() {
    safely(SlotBloomListener::durabilityRestored);
  }

  @Override
  public void severalPrimaries(String finding) {
    safely(listener -> listener.severalPrimaries(finding));
  }

  @Override
  public void groupHidden(String finding) {
    safely(listener -> listener.groupHidden(finding));
  }

  @Override
  public void migrationWaits(Duration timeout) {
    safely(listener -> listener.migrationWaits(timeout));
  }
}
