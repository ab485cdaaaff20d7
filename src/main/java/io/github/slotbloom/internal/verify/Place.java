package io.github.slotbloom.internal.verify;

import io.github.slotbloom.internal.store.catalog.GenerationRecord;
import org.jspecify.annotations.Nullable;

/** Where a finding is, as far as that is known. */
record Place(
    @Nullable String table, @Nullable Integer generation, @Nullable Long slot, @Nullable Long seq) {

  static final Place NOWHERE = new Place(null, null, null, null);

  static Place table(String table) {
    return new Place(table, null, null, null);
  }

  /** The row of a generation. */
  static Place row(int generation) {
    return new Place("bloom_generation", generation, null, null);
  }

  static Place entry(long seq) {
    return new Place("bloom_journal", null, null, seq);
  }

  static Place slots(GenerationRecord generation) {
    return slot(generation, null, null);
  }

  /**
   * @param slot null if it is not in one alone
   * @param seq of the entry that tells of it; null if none does
   */
  static Place slot(GenerationRecord generation, @Nullable Long slot, @Nullable Long seq) {
    return new Place(generation.slotTable(), generation.number(), slot, seq);
  }
}
