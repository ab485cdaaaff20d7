package io.github.slotbloom.report;

/** A check that is made when a filter is verified. */
public enum Check {
  /** The rows in the catalog: known values, in their ranges, that fit each other. */
  PARAMETERS,
  /** The slot tables: present, with the right columns, and with nothing beyond the bit array. */
  SLOT_TABLES,
  /** The journal: without gaps, chained, and ending where the catalog says. */
  JOURNAL,
  /** The bits of all folded entries: present in the slots. */
  FOLDED_ENTRIES,
  /** The retained hashes: in order, complete, and members of the filter. */
  RETAINED_HASHES,
  /**
   * The removed keys, where keys can be removed: those that the journal says are removed, and no
   * others.
   */
  REMOVED_KEYS,
  /** The number of bits that are set, compared with the number of keys that were added. */
  FILL,
  /** The keys that the caller gives: all are members. */
  GIVEN_KEYS,
  /** The false positive rate that follows from the bits that are set, compared with the target. */
  FALSE_POSITIVE_RATE
}
