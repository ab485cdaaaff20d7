package io.github.slotbloom.core;

/** The way in which the k bits of a key are placed within the m bits of a generation. */
public enum Layout {
  /**
   * The bits lie anywhere in the bit array, as in Bloom's paper of 1970. Needs the fewest bits for
   * a false positive rate.
   */
  STANDARD,
  /**
   * All bits lie in one block of 512 bits, which is eight neighboring slots. A key then needs one
   * cache line in memory and one page in the database, for slightly more bits at the same false
   * positive rate (Putze, Sanders, Singler: Cache-, Hash- and Space-Efficient Bloom Filters, 2007).
   */
  BLOCKED
}
