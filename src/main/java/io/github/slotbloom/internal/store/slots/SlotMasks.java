package io.github.slotbloom.internal.store.slots;

import io.github.slotbloom.internal.bits.SlotMaskConsumer;
import java.util.Arrays;

/**
 * Bits to be set, merged per slot and returned in slot order. So a transaction touches each row
 * once, and all transactions touch rows in the same order.
 *
 * <p>A small number of slots is kept in an open-addressing table with linear probing, which takes
 * four words per slot. If the total number of slots is known, a large number of them is kept in an
 * array with an element for each slot, which then takes less memory. Not thread-safe.
 */
public final class SlotMasks implements SlotMaskConsumer {

  private static final int FIRST_SIZE = 1 << 10;
  private static final int WORDS_PER_SPARSE_SLOT = 4;

  private final long denseFrom;
  private final int allSlots;

  // A mask is never zero, so zero marks a free place.
  private long[] slots = new long[FIRST_SIZE];
  private long[] masks = new long[FIRST_SIZE];
  private boolean dense;
  // Holds all slots in order if its length equals their number. Otherwise it is out of date, and is
  // built again when it is needed.
  private long[] sorted = new long[0];
  private int size;

  /** Creates masks for slots with any number. */
  public SlotMasks() {
    this(Long.MAX_VALUE, 0);
  }

  private SlotMasks(long denseFrom, int allSlots) {
    this.denseFrom = denseFrom;
    this.allSlots = allSlots;
  }

  /**
   * Creates masks for the slots of one generation. They take at most 8 bytes of memory per slot.
   *
   * @param slots the number of slots
   */
  public static SlotMasks forAll(int slots) {
    return new SlotMasks(slots / WORDS_PER_SPARSE_SLOT, slots);
  }

  @Override
  public void accept(long slot, long mask) {
    if (mask == 0) {
      return;
    }
    if (!dense && size * 2 >= slots.length) {
      grow();
    }
    merge(slot, mask);
  }

  private void merge(long slot, long mask) {
    int i = place(slot);
    if (masks[i] == 0) {
      if (!dense) {
        slots[i] = slot;
      }
      size++;
    }
    masks[i] |= mask;
  }

  private void grow() {
    long[] oldSlots = slots;
    long[] oldMasks = masks;
    dense = size >= denseFrom;
    slots = new long[dense ? 0 : oldSlots.length * 2];
    masks = new long[dense ? allSlots : oldMasks.length * 2];
    size = 0;
    for (int i = 0; i < oldSlots.length; i++) {
      if (oldMasks[i] != 0) {
        merge(oldSlots[i], oldMasks[i]);
      }
    }
  }

  public int size() {
    return size;
  }

  public long[] sortedSlots() {
    return sortedSlots(0, size);
  }

  /**
   * Returns some of the slots in ascending order.
   *
   * @param first the lowest slot to return
   * @param most the highest number of slots to return
   */
  public long[] sortedSlots(long first, int most) {
    return dense ? denseSlots(first, most) : sparseSlots(first, most);
  }

  private long[] denseSlots(long first, int most) {
    long[] found = new long[Math.min(most, size)];
    int n = 0;
    for (int i = (int) Math.min(first, masks.length); i < masks.length && n < found.length; i++) {
      if (masks[i] != 0) {
        found[n++] = i;
      }
    }
    return Arrays.copyOf(found, n);
  }

  private long[] sparseSlots(long first, int most) {
    if (sorted.length != size) {
      sorted = new long[size];
      int n = 0;
      for (int i = 0; i < masks.length; i++) {
        if (masks[i] != 0) {
          sorted[n++] = slots[i];
        }
      }
      Arrays.sort(sorted);
    }
    int place = Arrays.binarySearch(sorted, first);
    int from = place < 0 ? -place - 1 : place;
    return Arrays.copyOfRange(sorted, from, from + Math.min(most, size - from));
  }

  /** Returns the bits to be set in a slot, or zero if there are none. */
  public long mask(long slot) {
    return masks[place(slot)];
  }

  /** Returns the place where the slot is or would be put. */
  private int place(long slot) {
    if (dense) {
      return (int) slot;
    }
    int last = slots.length - 1;
    int i = (int) ((slot * 0x9E3779B97F4A7C15L) >>> 32) & last;
    while (masks[i] != 0 && slots[i] != slot) {
      i = (i + 1) & last;
    }
    return i;
  }
}
