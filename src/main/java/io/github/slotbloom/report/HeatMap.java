package io.github.slotbloom.report;

import java.util.List;

/**
 * The number of bits that are set in each part of one generation. Other processes may set more bits
 * while it is read. Journal entries that are not folded yet are not included.
 *
 * @param generation number of the generation
 * @param active false if the generation is still being filled, to replace the active ones
 * @param slotTable the table that was read
 * @param bits size of the bit array, m
 * @param hashes bits per key, k
 * @param slots number of slots, of 64 bits each
 * @param slotsPerRange slots in each range but the last, which may be shorter
 * @param ranges the parts, from slot 0 on
 */
public record HeatMap(
    int generation,
    boolean active,
    String slotTable,
    long bits,
    int hashes,
    long slots,
    long slotsPerRange,
    List<Range> ranges) {

  /** {@return the number of set bits in the slot table} */
  public long bitsSet() {
    return ranges.stream().mapToLong(Range::bitsSet).sum();
  }

  /** {@return the number of rows in the slot table} A missing row stands for 64 zero bits. */
  public long rows() {
    return ranges.stream().mapToLong(Range::rows).sum();
  }

  /** {@return the share of the bits that are set, from 0 to 1} */
  public double fill() {
    return (double) bitsSet() / bits;
  }

  /**
   * A range of neighboring slots.
   *
   * @param firstSlot number of the first one
   * @param slots number of slots
   * @param rows number of slots that have a row
   * @param bitsSet number of set bits in the slots
   */
  public record Range(long firstSlot, long slots, long rows, long bitsSet) {

    /** {@return the share of the bits that are set, from 0 to 1} */
    public double fill() {
      return (double) bitsSet / (slots * Long.SIZE);
    }
  }
}
