package io.github.slotbloom.internal.verify;

/** Something stored that a repair relies on, and that a finding may cast doubt upon. */
enum Ground {
  /** Layout, state, epoch and the end of the journal. */
  FILTER_ROW("the row in bloom_filter"),
  /** The size of each bit array, and which entries it took. */
  GENERATION_ROWS("the rows in bloom_generation"),
  /** Which entries have to be in the slots. */
  FOLD_ROW("the row in bloom_fold"),
  /** The columns of the slot tables. */
  SLOT_TABLES("the slot tables"),
  /** The hashes in its entries, and its end. */
  JOURNAL("the journal"),
  /** The hashes in the blocks. */
  RETAINED_HASHES("the retained hashes");

  private final String words;

  Ground(String words) {
    this.words = words;
  }

  /** Returns the name of the ground, for the middle of a sentence. */
  String inWords() {
    return words;
  }
}
