package io.github.slotbloom.spring.boot;

import io.github.slotbloom.SlotBloom;

/** A bean that changes the auto-configured {@link SlotBloom} before it is built. */
@FunctionalInterface
public interface SlotBloomCustomizer {

  /**
   * Changes the builder. Beans of this type are called in their order.
   *
   * @param builder has the listeners already
   */
  void customize(SlotBloom.Builder builder);
}
