package io.github.slotbloom.internal.mirror;

import io.github.slotbloom.internal.bits.SlotReader;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The bits of one generation. Bits are only ever set. Any number of threads may read them. Only one
 * thread at a time may set bits of the same slot, and must have seen what the one before it set.
 */
final class BitArray implements SlotReader {

  /**
   * Unused elements in front. Together with the 16 bytes of the array's header they fill a cache
   * line. So the blocks behind them are aligned to cache lines if the array itself begins at one.
   * G1 puts an array of this size at the start of a region. Other collectors lose nothing.
   */
  private static final int LEAD = 6;

  /** The most slots that fit into the largest array that every JVM can create. */
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
    long before = slots[i];
    // Most bits that a busy journal brings are set already. Without a write the cache line stays
    // where other threads read it.
    if ((before & mask) != mask) {
      SLOTS.setRelease(slots, i, before | mask);
    }
  }
}
