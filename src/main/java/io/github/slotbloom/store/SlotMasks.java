package io.github.slotbloom.store;

import io.github.slotbloom.core.SlotMaskConsumer;
import java.util.Arrays;

/**
 * Bits to be set, merged per slot and handed out in slot order: so transactions touch each row
 * once, and all in one order.
 *
 * <p>An open-addressing table with linear probing. Not thread-safe.
 */
public final class SlotMasks implements SlotMaskConsumer {

  private static final int FIRST_SIZE = 1 << 10;

  // A mask is never zero, so zero marks a free place.
  private long[] slots = new long[FIRST_SIZE];
  private long[] masks = new long[FIRST_SIZE];
  private int size;

  @Override
  public void accept(long slot, long mask) {
    if (mask == 0) {
      return;
    }
    if (size * 2 >= slots.length) {
      grow();
    }
    merge(slot, mask);
  }

  private void merge(long slot, long mask) {
    int i = place(slot);
    if (masks[i] == 0) {
      slots[i] = slot;
      size++;
    }
    masks[i] |= mask;
  }

  private void grow() {
    long[] oldSlots = slots;
    long[] oldMasks = masks;
    slots = new long[oldSlots.length * 2];
    masks = new long[oldMasks.length * 2];
    size = 0;
    for (int i = 0; i < oldSlots.length; i++) {
      if (oldMasks[i] != 0) {
        merge(oldSlots[i], oldMasks[i]);
      }
    }
  }

  /** Number of slots. */
  public int size() {
    return size;
  }

  /** The slots, ascending. */
  public long[] sortedSlots() {
    long[] sorted = new long[size];
    int n = 0;
    for (int i = 0; i < slots.length; i++) {
      if (masks[i] != 0) {
        sorted[n++] = slots[i];
      }
    }
    Arrays.sort(sorted);
    return sorted;
  }

  /** The bits to be set in a slot; zero if none. */
  public long mask(long slot) {
    return masks[place(slot)];
  }

  /** Where the slot is, or would go. */
  private int place(long slot) {
    int last = slots.length - 1;
    int i = (int) ((slot * 0x9E3779B97F4A7C15L) >>> 32) & last;
    while (masks[i] != 0 && slots[i] != slot) {
      i = (i + 1) & last;
    }
    return i;
  }
}
