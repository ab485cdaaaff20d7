package io.github.slotbloom.internal.engine;

import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.SlotBloomListener;
import java.util.Collection;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the listeners of an application in their order, and keeps their exceptions away from the
 * library's threads and from each other.
 */
public final class SafeListener implements SlotBloomListener {

  private static final Logger log = LoggerFactory.getLogger(SafeListener.class);

  private final List<SlotBloomListener> listeners;

  public SafeListener(Collection<SlotBloomListener> listeners) {
    this.listeners = List.copyOf(listeners);
  }

  @Override
  public void on(SlotBloomEvent event) {
    for (SlotBloomListener listener : listeners) {
      try {
        listener.on(event);
      } catch (Throwable e) {
        log.warn("a SlotBloomListener threw", e);
      }
    }
  }
}
