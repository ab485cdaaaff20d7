package io.github.slotbloom.internal.fold;

import io.github.slotbloom.internal.bits.Probe;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.store.slots.SlotMasks;
import io.github.slotbloom.internal.store.slots.SlotRows;
import java.util.stream.LongStream;

/** The bits that a {@link FoldBatch} brings into one generation. Not thread-safe. */
final class FoldShare {

  /**
   * The rows that one transaction writes.
   *
   * @param slots ascending, at least one
   * @param end the slot that the next part begins at
   * @param last true if there is no next part
   */
  @SuppressWarnings("ArrayRecordComponent") // the array is passed on at once, and never compared
  record Part(long[] slots, long end, boolean last) {}

  /**
   * Few enough that adds hardly wait for the COMMIT. While the server writes the rows of a
   * transaction to its binary log, all other transactions wait to commit. Adds of one key took up
   * to 41 ms at the 99th percentile beside parts of 100,000 rows, up to 24 beside parts of 20,000,
   * and 4 without any (plain JDBC, MySQL 9.7). Parts of 10,000 rows make folding a tenth slower.
   */
  static final int ROWS_PER_PART = 20_000;

  private static final int SHARE_OF_HEAP = 16;
  private static final int BYTES_PER_SPARSE_SLOT = 32;
  private static final long FEWEST_SLOTS = 250_000;

  /** 40 MiB of rows, a few seconds of work. */
  private static final long FEW_ROWS = 1 << 20;

  /** From this share on, writing all rows takes at most a few times as long, and that only once. */
  private static final double MANY = 0.25;

  private final GenerationRecord generation;
  private final Probe probe;
  private final long allSlots;
  private final SlotMasks masks;
  private final long mostSlots;
  private boolean writesAllSlots;
  private long nextSlot;
  private boolean done;

  FoldShare(GenerationRecord generation) {
    this.generation = generation;
    probe = Probe.of(generation.parameters());
    allSlots = generation.parameters().slots();
    long room = Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP;
    boolean roomForAll = allSlots <= Math.min(room / Long.BYTES, Integer.MAX_VALUE - 8);
    masks = roomForAll ? SlotMasks.forAll((int) allSlots) : new SlotMasks();
    mostSlots = roomForAll ? allSlots + 1 : Math.max(FEWEST_SLOTS, room / BYTES_PER_SPARSE_SLOT);
  }

  /** Returns true if a share of that generation may take more than one part. */
  static boolean hasParts(GenerationRecord generation) {
    return generation.parameters().slots() > ROWS_PER_PART;
  }

  GenerationRecord generation() {
    return generation;
  }

  void take(JournalEntry entry) {
    entry.forEachMask(probe, masks);
  }

  /** Returns true if it takes as much memory as it may. */
  boolean isFull() {
    return masks.size() >= mostSlots;
  }

  boolean isBegun() {
    return nextSlot > 0;
  }

  boolean isDone() {
    return done;
  }

  /** Returns how much of it is written, from 0 to 1. */
  double written() {
    return done ? 1 : (double) nextSlot / allSlots;
  }

  /**
   * Chooses which rows to write, before the first part. A missing row means 64 zero bits, so rows
   * can be added one by one. But InnoDB splits a page if rows go in between others, and leaves the
   * halves a quarter to two thirds full. Rows that come in order fill their pages. So an empty
   * table gets a row for every slot, even for those that get no bit, if its rows are few, or if a
   * large share of them is due anyway.
   *
   * @return true if the table turned out to have rows, which are never removed
   */
  boolean chooseRows(Tx tx) {
    if (allSlots > FEW_ROWS && masks.size() < MANY * allSlots) {
      return false;
    }
    boolean hasRows = !SlotRows.isEmpty(tx, generation.slotTable());
    writesAllSlots |= !hasRows;
    return hasRows;
  }

  /** Writes the next part. */
  Part write(Tx tx) {
    SlotRows rows = new SlotRows(generation);
    Part part = next();
    if (writesAllSlots) {
      rows.fill(tx, masks, part.slots());
    } else {
      rows.or(tx, masks, part.slots());
    }
    return part;
  }

  private Part next() {
    long[] slots =
        writesAllSlots
            ? LongStream.range(nextSlot, Math.min(allSlots, nextSlot + ROWS_PER_PART)).toArray()
            : masks.sortedSlots(nextSlot, ROWS_PER_PART);
    long end = slots[slots.length - 1] + 1;
    boolean last = writesAllSlots ? end == allSlots : masks.sortedSlots(end, 1).length == 0;
    return new Part(slots, end, last);
  }

  /** Continues after a part that is committed. */
  void done(Part part) {
    nextSlot = part.end();
    done = part.last();
  }
}
