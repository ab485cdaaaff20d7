package io.github.slotbloom.internal.bits;

/** A set of hashes whose greatest size is known. Not thread-safe. */
public final class LongSet {

  private final long[] table;
  private boolean hasZero;

  public LongSet(int mostElements) {
    table = new long[Math.max(2, Integer.highestOneBit(Math.max(1, mostElements)) * 4)];
  }

  /** Adds an element. Returns true if it was not in the set. */
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

  /** Returns true if an element is in the set. */
  public boolean contains(long element) {
    return element == 0 ? hasZero : table[place(element)] != 0;
  }

  /** Removes the element that was added last of all that are in the set. */
  public void removeNewest(long element) {
    if (element == 0) {
      hasZero = false;
    } else {
      // No element was placed after it, so no other element was moved past its place.
      table[place(element)] = 0;
    }
  }

  // The elements are hashes, but an attacker may choose hashes that share their low bits.
  private int place(long element) {
    int last = table.length - 1;
    int i = (int) ((element * 0x9E3779B97F4A7C15L) >>> 32) & last;
    while (table[i] != 0 && table[i] != element) {
      i = (i + 1) & last;
    }
    return i;
  }
}
