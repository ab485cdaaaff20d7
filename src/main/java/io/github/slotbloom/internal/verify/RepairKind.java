package io.github.slotbloom.internal.verify;

import io.github.slotbloom.report.Finding.Kind;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A kind of repair, with the data that must be beyond doubt for it. */
enum RepairKind {
  /** Deletes what no key can own. Where a bit array ends is known from the catalog alone. */
  TAKE_AWAY_BEYOND("What is beyond the bit arrays was not removed"),
  /** Sets the bits of hashes that are in folded entries, and appends hashes to the journal. */
  SET_FROM_JOURNAL("The bits of hashes in the journal were not set again"),
  /** Sets the bits of hashes that are in blocks. */
  SET_FROM_RETAINED("The bits of retained hashes were not set again"),
  /** Brings the table with the removed hashes in line with the journal. */
  SET_REMOVED("The removed hashes were not corrected to match the journal");

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
      case SET_FROM_JOURNAL, SET_REMOVED -> EnumSet.of(Ground.CATALOG, Ground.JOURNAL);
      case SET_FROM_RETAINED -> EnumSet.of(Ground.CATALOG, Ground.RETAINED_HASHES);
    };
  }

  /** Says that it was not done; the beginning of a sentence. */
  String undone() {
    return undone;
  }

  /** Something stored that a repair relies on, and that a finding may cast doubt upon. */
  enum Ground {
    /** Where the bit arrays are and end, which entries they took, and how far all is folded. */
    CATALOG("the rows of the catalog and the slot tables that they describe"),
    /** The hashes in its entries, and its end. */
    JOURNAL("the journal"),
    /** The hashes in the blocks. */
    RETAINED_HASHES("the retained hashes");

    private final String words;

    Ground(String words) {
      this.words = words;
    }

    /** Returns what a finding of that kind casts doubt upon; null if a repair may rely on all. */
    static @Nullable Ground doubtedBy(Kind kind) {
      return switch (kind) {
        case PARAMETERS, SLOT_TABLE -> CATALOG;
        // An entry of which anything is wrong may have been written by anything.
        case ENTRY_MISSING, ENTRY_DAMAGED, CHAIN_BROKEN -> JOURNAL;
        case RETAINED_HASHES -> RETAINED_HASHES;
        default -> null;
      };
    }

    /** Returns the name of the ground, for the middle of a sentence. */
    String inWords() {
      return words;
    }
  }
}
