package io.github.slotbloom.internal.fold;

import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.store.slots.SlotRows;

/**
 * The slot table of a generation, with the way it is first filled.
 *
 * <p>A missing row means 64 zero bits, so rows can be added one by one. But InnoDB splits a page if
 * rows go in between others, and leaves the halves a quarter to two thirds full. Rows that come in
 * order fill their pages. So an empty table gets all its rows at once if they are few, or if a
 * large share of them is due anyway. Needs the lock on the fold row. Not thread-safe.
 */
final class FoldTarget {

  /** 40 MiB of rows, a few seconds of work. */
  private static final long FEW_SLOTS = 1 << 20;

  /** From this share on, writing all rows takes at most a few times as long, and that only once. */
  private static final double MANY = 0.25;

  private final GenerationRecord generation;
  private final SlotRows rows;
  // Only a clear removes rows, and a clear begins an epoch.
  private long notEmptyInEpoch = -1;

  FoldTarget(GenerationRecord generation) {
    this.generation = generation;
    this.rows = new SlotRows(generation);
  }

  /**
   * Returns true if all rows should be written now.
   *
   * @param coverage the share of all slots that is to be written at least, from 0 to 1
   */
  boolean wantsAllRows(Tx tx, long epoch, double coverage) {
    if (notEmptyInEpoch == epoch || (!isSmall() && coverage < MANY)) {
      return false;
    }
    boolean empty = SlotRows.isEmpty(tx, generation.slotTable());
    if (!empty) {
      notEmptyInEpoch = epoch;
    }
    return empty;
  }

  private boolean isSmall() {
    return generation.parameters().slots() <= FEW_SLOTS;
  }

  SlotRows rows() {
    return rows;
  }
}
