package io.github.slotbloom.report;

import java.util.List;

/**
 * Neighbouring slots of one generation.
 *
 * @param filter name of the filter
 * @param generation number of the generation
 * @param slotTable the table that was read
 * @param slots in ascending order
 */
public record SlotListing(String filter, int generation, String slotTable, List<Slot> slots) {

  /** The most slots that are listed at a time. */
  public static final int MOST_SLOTS = 10_000;

  /**
   * One slot.
   *
   * @param number its number
   * @param hasRow whether the table has a row for it; a missing one is 64 zero bits
   * @param bits bit i is position 64 * number + i of the generation
   */
  public record Slot(long number, boolean hasRow, long bits) {}
}
