package io.github.slotbloom.core;

/**
 * The treatment of an add that would bring a filter above its capacity. It is stored with the
 * filter, so all processes act alike.
 */
public enum OnFull {
  /**
   * Adds another generation first, which doubles the capacity. If the filter cannot grow, the keys
   * are added anyway, as with {@link #DEGRADE}, and the growth is tried again later.
   */
  GROW,
  /**
   * Throws {@link io.github.slotbloom.error.FilterFullException} and records no key of the call, if
   * there is no room for all its new keys. Keys that were seen before are answered as usual.
   */
  REFUSE,
  /** Adds the keys anyway. The false positive rate rises above the target. */
  DEGRADE
}
