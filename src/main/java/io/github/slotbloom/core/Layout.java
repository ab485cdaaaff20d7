package io.github.slotbloom.core;

/** Where the k bits of a key lie within the m bits of a generation. */
public enum Layout {
  /** Anywhere in the bit array, as in Bloom's paper of 1970: the fewest bits for an error rate. */
  STANDARD,
  /**
   * All in one block of 512 bits, eight neighbouring slots: one cache line in memory and one page
   * in the database, for some more bits at the same error rate (Putze, Sanders, Singler: Cache-,
   * Hash- and Space-Efficient Bloom Filters, 2007).
   */
  BLOCKED
}
