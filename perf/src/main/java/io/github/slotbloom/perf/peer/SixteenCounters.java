package io.github.slotbloom.perf.peer;

/**
 * Sixteen counters of 4 bits in one number. A counter that has reached 15 has lost count and stays,
 * since counting it down could lose a key that is still there.
 */
final class SixteenCounters {

  static final int COUNTERS = 16;
  static final int MOST = 15;

  private static final int BITS = 4;

  private SixteenCounters() {}

  static int at(long counters, int index) {
    return (int) (counters >>> (index * BITS)) & MOST;
  }

  static long up(long counters, int index) {
    return at(counters, index) == MOST ? counters : counters + (1L << (index * BITS));
  }

  static long down(long counters, int index) {
    int count = at(counters, index);
    return count == 0 || count == MOST ? counters : counters - (1L << (index * BITS));
  }
}
