package io.github.slotbloom.reliability;

/** How a key may stand in a filter. */
enum KeyState {
  /** Nobody added it since the filter was created or cleared. */
  NEVER_ADDED(false),
  /** A false positive: the bits of others are all that it has. */
  BY_OTHERS(true),
  ADDED(true),
  /** Only an add brings it back, whatever the bits of others are. */
  REMOVED(false);

  private final boolean present;

  KeyState(boolean present) {
    this.present = present;
  }

  boolean isPresent() {
    return present;
  }
}
