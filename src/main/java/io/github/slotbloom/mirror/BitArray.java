package io.github.slotbloom.mirror;

import io.github.slotbloom.core.SlotReader;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The bits of one generation. Bits are only ever set, each atomically, so any number of threads may
 * read and set them.
 */
final class BitArray implements SlotReader {

  /** The largest array that every JVM can make. */
  static final long MAX_SLOTS = Integer.MAX_VALUE - 8L;

  private static final VarHandle SLOTS = MethodHandles.arrayElementVarHandle(long[].class);

  private final long[] slots;

  BitArray(long slots) {
    this.slots = new long[Math.toIntExact(slots)];
  }

  @Override
  public long bits(long slot) {
    return (long) SLOTS.getAcquire(slots, (int) slot);
  }

  void or(long slot, long mask) {
    int i = (int) slot;
    // Most of what a busy journal brings in is set already, and a plain read does not take the
    // cache line from others.
    if (((long) SLOTS.getAcquire(slots, i) & mask) != mask) {
      SLOTS.getAndBitwiseOr(slots, i, mask);
    }
  }
}
