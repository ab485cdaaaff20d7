package io.github.slotbloom.engine;

/** A set of hashes of known greatest size. Not thread-safe. */
final class LongSet {

  private final long[] table;
  private boolean hasZero;

  LongSet(int mostElements) {
    table = new long[Math.max(2, Integer.highestOneBit(Math.max(1, mostElements)) * 4)];
  }

  /** Returns whether the element was not there. */
  boolean add(long element) {
    if (element == 0) {
      boolean added = !hasZero;
      hasZero = true;
      return added;
    }
    int i = place(element);
    boolean added = table[i] == 0;
    table[i] = element;
    return added;
  }

  /** Takes out the element that was added last of all that are in the set. */
  void removeNewest(long element) {
    if (element == 0) {
      hasZero = false;
    } else {
      // Nothing was placed after it, so nothing has gone around its place.
      table[place(element)] = 0;
    }
  }

  // The elements are hashes, but chosen ones may share their low bits.
  private int place(long element) {
    int last = table.length - 1;
    int i = (int) ((element * 0x9E3779B97F4A7C15L) >>> 32) & last;
    while (table[i] != 0 && table[i] != element) {
      i = (i + 1) & last;
    }
    return i;
  }
}
