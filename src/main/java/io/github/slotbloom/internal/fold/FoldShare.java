package io.github.slotbloom.internal.fold;

import io.github.slotbloom.internal.bits.Probe;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.slots.SlotMasks;
import java.util.stream.LongStream;

/** The bits that a {@link FoldBatch} brings into one generation. Not thread-safe. */
final class FoldShare {

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

  /** Returns the fraction of the generation's slots that it has bits for, from 0 to 1. */
  double coverage() {
    return (double) masks.size() / allSlots;
  }

  /** Returns how much of it is written, from 0 to 1. */
  double written() {
    return done ? 1 : (double) nextSlot / allSlots;
  }

  SlotMasks masks() {
    return masks;
  }

  /** Makes it write a row for every slot, even if the slot gets no bit. */
  void writeAllSlots() {
    writesAllSlots = true;
  }

  /** Returns the part to be written next. */
  FoldPart next() {
    long[] slots =
        writesAllSlots
            ? LongStream.range(nextSlot, Math.min(allSlots, nextSlot + ROWS_PER_PART)).toArray()
            : masks.sortedSlots(nextSlot, ROWS_PER_PART);
    long end = slots[slots.length - 1] + 1;
    boolean last = writesAllSlots ? end == allSlots : masks.sortedSlots(end, 1).length == 0;
    return new FoldPart(slots, end, last, writesAllSlots);
  }

  /** Continues after a part that is committed. */
  void done(FoldPart part) {
    nextSlot = part.end();
    done = part.last();
  }
}
