package io.github.slotbloom.report;

import java.util.List;

/**
 * A list of neighboring slots of one generation.
 *
 * @param filter name of the filter
 * @param generation number of the generation
 * @param slotTable the table that was read
 * @param slots the slots, in ascending order
 */
public record SlotListing(String filter, int generation, String slotTable, List<Slot> slots) {

  /** The largest number of slots in one listing. */
  public static final int MOST_SLOTS = 10_000;

  /**
   * One slot.
   *
   * @param number number of the slot
   * @param hasRow true if the table has a row for the slot; a missing row stands for 64 zero bits
   * @param bits the bits of the slot; bit i is position 64 * number + i of the generation
   */
  public record Slot(long number, boolean hasRow, long bits) {}
}
