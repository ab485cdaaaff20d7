package io.github.slotbloom.internal.verify;

import java.util.EnumSet;
import java.util.Set;

/** A kind of repair, with the data that must be beyond doubt for it. */
enum RepairKind {
  /** Deletes what no key can own. Where a bit array ends is known from the catalog alone. */
  TAKE_AWAY_BEYOND("What is beyond the bit arrays was not removed"),
  /** Sets the bits of hashes that are in folded entries. */
  SET_FROM_JOURNAL("The bits of hashes in the journal were not set again"),
  /** Sets the bits of hashes that are in blocks. */
  SET_FROM_RETAINED("The bits of retained hashes were not set again"),
  /** Brings the table with the removed hashes in line with the journal. */
  SET_REMOVED("The removed hashes were not brought in line with the journal"),
  /** Appends hashes to the journal, and folds them. */
  APPEND("The hashes were not written to the journal once more");

  private final String undone;

  RepairKind(String undone) {
    this.undone = undone;
  }

  /** How a hash of that entry is set again; those of blocks are of entry 0. */
  static RepairKind settingAgain(long seq) {
    return seq == 0 ? SET_FROM_RETAINED : SET_FROM_JOURNAL;
  }

  /** Returns the data that the repair relies on. */
  Set<Ground> grounds() {
    return switch (this) {
      case TAKE_AWAY_BEYOND -> EnumSet.of(Ground.CATALOG);
      case SET_FROM_JOURNAL, SET_REMOVED, APPEND -> EnumSet.of(Ground.CATALOG, Ground.JOURNAL);
      case SET_FROM_RETAINED -> EnumSet.of(Ground.CATALOG, Ground.RETAINED_HASHES);
    };
  }

  /** Says that it was not done; the beginning of a sentence. */
  String undone() {
    return undone;
  }
}
