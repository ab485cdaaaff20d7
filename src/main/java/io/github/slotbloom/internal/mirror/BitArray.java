package io.github.slotbloom.internal.mirror;

import io.github.slotbloom.internal.bits.SlotReader;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The bits of one generation. Bits are only ever set, each atomically, so any number of threads may
 * read and set them.
 */
final class BitArray implements SlotReader {

  /**
   * Unused elements in front. With the 16 bytes of an array's header they fill a cache line, so
   * that the blocks behind them are cache lines, wherever an array as large begins one: G1 lays it
   * at the beginning of a region. Elsewhere nothing is lost.
   */
  private static final int LEAD = 6;

  /** What fits into the largest array that every JVM can make. */
  static final long MAX_SLOTS = Integer.MAX_VALUE - 8L - LEAD;

  private static final VarHandle SLOTS = MethodHandles.arrayElementVarHandle(long[].class);

  private final long[] slots;

  BitArray(long slots) {
    this.slots = new long[Math.toIntExact(LEAD + slots)];
  }

  @Override
  public long bits(long slot) {
    return (long) SLOTS.getAcquire(slots, LEAD + (int) slot);
  }

  void or(long slot, long mask) {
    int i = LEAD + (int) slot;
    // Most of what a busy journal brings in is set already, and a plain read does not take the
    // cache line from others.
    if (((long) SLOTS.getAcquire(slots, i) & mask) != mask) {
      SLOTS.getAndBitwiseOr(slots, i, mask);
    }
  }
}
