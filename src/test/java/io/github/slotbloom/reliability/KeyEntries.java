package io.github.slotbloom.reliability;

/**
 * What a journal says of one key.
 *
 * @param adds how often it was reported as new, since the filter was created or cleared
 * @param removals how often it was taken out since
 * @param newest what the newest of these entries made of it
 */
record KeyEntries(int adds, int removals, KeyState newest) {

  static final KeyEntries NONE = new KeyEntries(0, 0, KeyState.NEVER_ADDED);

  KeyEntries added() {
    return new KeyEntries(adds + 1, removals, KeyState.ADDED);
  }

  KeyEntries removed() {
    return new KeyEntries(adds, removals + 1, KeyState.REMOVED);
  }

  boolean isThere() {
    return newest == KeyState.ADDED;
  }
}
