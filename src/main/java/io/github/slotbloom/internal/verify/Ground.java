package io.github.slotbloom.internal.verify;

import io.github.slotbloom.report.Finding.Kind;
import org.jspecify.annotations.Nullable;

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
