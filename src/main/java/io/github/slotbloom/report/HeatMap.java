package io.github.slotbloom.report;

import java.util.List;

/**
 * How many bits are set in each part of one generation. Others may set more while it is read; what
 * is not folded yet is not in it.
 *
 * @param generation its number
 * @param answers whether a key may be in it; otherwise it is being filled, to replace those that do
 * @param slotTable the table that was read
 * @param bits size of the bit array, m
 * @param hashes bits per key, k
 * @param slots how many slots there are, of 64 bits each
 * @param slotsPerRange slots in each range but the last, which may be shorter
 * @param ranges the parts, from slot 0 on
 */
public record HeatMap(
    int generation,
    boolean answers,
    String slotTable,
    long bits,
    int hashes,
    long slots,
    long slotsPerRange,
    List<Range> ranges) {

  /** {@return set bits in the slot table} */
  public long bitsSet() {
    return ranges.stream().mapToLong(Range::bitsSet).sum();
  }

  /** {@return rows in the slot table; a missing row is 64 zero bits} */
  public long rows() {
    return ranges.stream().mapToLong(Range::rows).sum();
  }

  /** {@return set bits as a part of all, 0 to 1} */
  public double fill() {
    return (double) bitsSet() / bits;
  }

  /**
   * Neighbouring slots.
   *
   * @param firstSlot number of the first one
   * @param slots how many they are
   * @param rows how many of them have a row
   * @param bitsSet set bits in them
   */
  public record Range(long firstSlot, long slots, long rows, long bitsSet) {

    /** {@return set bits as a part of all, 0 to 1} */
    public double fill() {
      return (double) bitsSet / (slots * Long.SIZE);
    }
  }
}
