package io.github.slotbloom;

/** Receives the events of the library: {@link SlotBloomEvent} says which there are. */
@FunctionalInterface
public interface SlotBloomListener {

  /**
   * Called with each event, on threads of the library and of its callers. So it must be thread-safe
   * and return quickly. What it throws is logged and otherwise ignored.
   *
   * @param event what happened; ignore the kinds that you do not know
   */
  void on(SlotBloomEvent event);
}
