package io.github.slotbloom.internal.bits;

/** A set of hashes of known greatest size. Not thread-safe. */
public final class LongSet {

  private final long[] table;
  private boolean hasZero;

  public LongSet(int mostElements) {
    table = new long[Math.max(2, Integer.highestOneBit(Math.max(1, mostElements)) * 4)];
  }

  /** Returns whether the element was not there. */
  public boolean add(long element) {
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
  public void removeNewest(long element) {
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
