package io.github.slotbloom.spark;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Layout;

/**
 * The bits of a generation, cut into segments, which are what tasks send to each other. Not
 * thread-safe.
 */
final class BitSegments {

  /** A segment takes 64 KiB, and no block lies in two. */
  static final int SLOTS = 1 << 13;

  private final long[][] segments;
  private final long slots;

  BitSegments(BloomParameters parameters) {
    slots = parameters.slots();
    segments = new long[count(parameters)][];
  }

  static int count(BloomParameters parameters) {
    return Math.toIntExact((parameters.slots() + SLOTS - 1) / SLOTS);
  }

  /** Sets bits of a slot. */
  void or(long slot, long mask) {
    int number = (int) (slot / SLOTS);
    long[] segment = segments[number];
    if (segment == null) {
      segment = new long[(int) Math.min(SLOTS, slots - (long) number * SLOTS)];
      segments[number] = segment;
    }
    segment[(int) (slot % SLOTS)] |= mask;
  }

  /** {@return the segments by their numbers; null where no bit is set} */
  long[][] segments() {
    return segments;
  }

  /** Sets the bits of one segment in another one of the same number, and returns that. */
  static long[] union(long[] into, long[] from) {
    for (int i = 0; i < into.length; i++) {
      into[i] |= from[i];
    }
    return into;
  }

  /**
   * Counts the units of a segment, which are blocks or bits, by how many bits they have: with
   * {@link Layout#BLOCKED} element x of the result counts the blocks of x bits, and with {@link
   * Layout#STANDARD} element 1 counts the bits that are set.
   */
  static void count(Layout layout, long[] segment, long[] counts) {
    if (layout == Layout.STANDARD) {
      for (long bits : segment) {
        counts[1] += Long.bitCount(bits);
      }
      return;
    }
    int block = BloomParameters.BLOCK_BITS / Long.SIZE;
    for (int first = 0; first < segment.length; first += block) {
      int ones = 0;
      for (int i = first; i < first + block; i++) {
        ones += Long.bitCount(segment[i]);
      }
      counts[ones] += ones > 0 ? 1 : 0;
    }
  }

  /** Adds numbers to others, each to the one at its place. */
  static void add(long[] to, long[] more) {
    for (int i = 0; i < to.length; i++) {
      to[i] += more[i];
    }
  }
}
