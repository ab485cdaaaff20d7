package io.github.slotbloom.report;

/** What is looked at when a filter is verified. */
public enum Check {
  /** The rows in the catalog: known values, in their ranges, that fit each other. */
  PARAMETERS,
  /** The slot tables: there, of the right columns, and with nothing beyond the bit array. */
  SLOT_TABLES,
  /** The journal: without gaps, chained, and ending where the catalog says. */
  JOURNAL,
  /** That the slots hold the bits of all entries that are folded. */
  FOLDED_ENTRIES,
  /** The retained hashes: in order, complete, and members of the filter. */
  RETAINED_HASHES,
  /** The number of keys that were added, against the journal and the retained hashes. */
  KEY_COUNT,
  /** The number of bits that are set, against the number of keys that were added. */
  FILL,
  /** That keys which the caller gives are members. */
  GIVEN_KEYS,
  /** How often keys that nobody added are taken for members, against the bits that are set. */
  ERROR_RATE
}
