package io.github.slotbloom.perf.peer;

import java.util.Arrays;
import java.util.function.LongUnaryOperator;
import java.util.stream.IntStream;

/**
 * The rows of counters that some keys need, between reading them and writing them back. Keys take
 * effect in order, so the second of two equal keys sees what the first one did.
 */
final class CounterRows {

  private final long[] positions;
  private final int hashes;
  private final long[] slots;
  private final long[] counters;
  private final boolean[] changed;

  /**
   * Begins with all counters at zero.
   *
   * @param positions the counters of each key, one key after the other
   * @param hashes how many counters a key has
   */
  CounterRows(long[] positions, int hashes) {
    this.positions = positions;
    this.hashes = hashes;
    slots = Arrays.stream(positions).map(CounterRows::slot).sorted().distinct().toArray();
    counters = new long[slots.length];
    changed = new boolean[slots.length];
  }

  private static long slot(long position) {
    return position / SixteenCounters.COUNTERS;
  }

  private static int index(long position) {
    return (int) (position % SixteenCounters.COUNTERS);
  }

  /** {@return the numbers of the rows in ascending order} */
  long[] slots() {
    return slots;
  }

  long counters(int row) {
    return counters[row];
  }

  /** Takes in a row as it is stored. */
  void read(long slot, long stored) {
    counters[Arrays.binarySearch(slots, slot)] = stored;
  }

  /** {@return the rows that were changed, in the order of their numbers} */
  int[] changed() {
    return IntStream.range(0, slots.length).filter(row -> changed[row]).toArray();
  }

  int keys() {
    return positions.length / hashes;
  }

  boolean contains(int key) {
    for (int i = key * hashes; i < (key + 1) * hashes; i++) {
      int row = Arrays.binarySearch(slots, slot(positions[i]));
      if (SixteenCounters.at(counters[row], index(positions[i])) == 0) {
        return false;
      }
    }
    return true;
  }

  /** {@return true if the key was new} It is counted either way, so that it can be removed. */
  boolean add(int key) {
    boolean isNew = !contains(key);
    for (int i = key * hashes; i < (key + 1) * hashes; i++) {
      int index = index(positions[i]);
      change(positions[i], row -> SixteenCounters.up(row, index));
    }
    return isNew;
  }

  /** {@return true if the key was there} Otherwise nothing changes. */
  boolean remove(int key) {
    if (!contains(key)) {
      return false;
    }
    for (int i = key * hashes; i < (key + 1) * hashes; i++) {
      int index = index(positions[i]);
      change(positions[i], row -> SixteenCounters.down(row, index));
    }
    return true;
  }

  private void change(long position, LongUnaryOperator change) {
    int row = Arrays.binarySearch(slots, slot(position));
    long before = counters[row];
    counters[row] = change.applyAsLong(before);
    changed[row] |= counters[row] != before;
  }
}
