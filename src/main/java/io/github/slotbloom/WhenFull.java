package io.github.slotbloom;

/** What an add does that would bring a filter above the capacity that it was made for. */
public enum WhenFull {
  /**
   * Adds all the same: the error rate rises above the target. The listener is told once, and a
   * warning is logged.
   */
  ADD,
  /**
   * Throws {@link io.github.slotbloom.error.FilterFullException} and records none of the call's
   * keys, if there is no room for all that are new among them. Keys that were seen are answered as
   * ever.
   */
  REFUSE
}
