package io.github.slotbloom.core;

/**
 * What an add does that would bring a filter above the capacity that it was made for. Stored with
 * the filter, so that all processes do the same.
 */
public enum WhenFull {
  /**
   * The filter gets another generation first, and with it room for twice as many keys. Where that
   * cannot be had, the keys are added all the same, as with {@link #DEGRADE}, and it is tried again
   * later.
   */
  GROW,
  /**
   * Throws {@link io.github.slotbloom.error.FilterFullException} and records none of the call's
   * keys, if there is no room for all that are new among them. Keys that were seen are answered as
   * ever.
   */
  REFUSE,
  /** Adds all the same: the error rate rises above the target. */
  DEGRADE
}
