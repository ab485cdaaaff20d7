package io.github.slotbloom.engine;

import io.github.slotbloom.core.Probe;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.store.FilterHead;
import io.github.slotbloom.store.FilterRecord;
import io.github.slotbloom.store.FoldState;
import io.github.slotbloom.store.GenerationRecord;
import io.github.slotbloom.store.JournalChain;
import io.github.slotbloom.store.JournalEntry;
import io.github.slotbloom.store.SlotMasks;
import io.github.slotbloom.store.Tx;
import java.util.List;
import java.util.stream.LongStream;

/**
 * The entries that are folded together: read from the journal, merged in memory, then written in
 * parts.
 *
 * <p>The more entries are merged the fewer rows are written: never more than the generation has,
 * however many the keys. So a batch takes all that there is when it begins, as far as memory
 * allows. Not thread-safe.
 */
final class FoldBatch {

  /** About a second's worth, since whoever waits for the fold row waits for it. */
  private static final int KEYS_PER_STEP = 2_000_000;

  /** About a second's worth as well. */
  private static final int ROWS_PER_PART = 100_000;

  private static final int SHARE_OF_HEAP = 16;
  private static final int BYTES_PER_SPARSE_SLOT = 32;
  private static final long FEWEST_SLOTS = 250_000;

  private final FilterContext context;
  private FoldState from;
  private final FilterHead head;
  private final GenerationRecord generation;
  private long last;
  private final long allSlots;
  private final Probe probe;
  private final SlotMasks masks;
  private final long mostSlots;
  private final JournalChain chain;
  private boolean gathered;
  private boolean writesAllSlots;
  private long nextSlot;

  /**
   * @param filter as it is now; the batch goes to the end of its journal, or to where the next
   *     generation begins, if memory allows
   * @param from how far the filter is folded
   */
  FoldBatch(FilterContext context, FilterRecord filter, FoldState from) {
    this.context = context;
    this.from = from;
    long first = from.foldedSeq() + 1;
    generation = filter.generationOf(first);
    head = filter.head();
    last = Math.min(head.lastSeq(), filter.lastOfSameGeneration(first));
    allSlots = generation.parameters().slots();
    probe = Probe.of(generation.parameters());
    chain = JournalChain.after(context.filter().name(), from.foldedSeq());
    long room = Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP;
    boolean roomForAll = allSlots <= Math.min(room / Long.BYTES, Integer.MAX_VALUE - 8);
    masks = roomForAll ? SlotMasks.forAll((int) allSlots) : new SlotMasks();
    mostSlots = roomForAll ? allSlots + 1 : Math.max(FEWEST_SLOTS, room / BYTES_PER_SPARSE_SLOT);
  }

  /** How far the filter is folded, with the parts that are written. */
  FoldState from() {
    return from;
  }

  /**
   * Whether it is what is to be folded still. A failover between two of its transactions may have
   * lost what it read from the journal, and others may have written something else in its place; or
   * it may have lost parts that were written, and then the fold row is not as the last one left it.
   */
  boolean continues(Tx tx, FoldState now) {
    boolean inPlace = isBegun() ? from.equals(now) : from.isAsFarAs(now);
    return inPlace && chain.isIn(tx, context.journal(), context.id());
  }

  /** The last entry that is in it. */
  long end() {
    return chain.seq();
  }

  /** Whether the next batch of a filter may take more than one part. */
  static boolean hasParts(FilterRecord filter, FoldState from) {
    return filter.generationOf(from.foldedSeq() + 1).parameters().slots() > ROWS_PER_PART;
  }

  /** Where it is written. */
  GenerationRecord generation() {
    return generation;
  }

  boolean isEmpty() {
    return end() == from.foldedSeq();
  }

  boolean isGathered() {
    return gathered;
  }

  boolean isBegun() {
    return nextSlot > 0;
  }

  /**
   * Reads on in the journal.
   *
   * @param now the filter as it is now: what a failover took back may have been followed by growth
   * @throws CorruptFilterException if it lacks entries; the batch is of no use then
   */
  void gather(Tx tx, FilterRecord now) {
    last = Math.min(last, now.lastOfSameGeneration(from.foldedSeq() + 1));
    int keys = 0;
    while (!gathered && keys < KEYS_PER_STEP) {
      List<JournalEntry> entries = context.journal().next(tx, context.filter(), chain, last);
      if (entries.isEmpty() && end() < last) {
        chain.requireEnd(head);
      }
      for (JournalEntry entry : entries) {
        probe.forEachMask(entry.hashes(), masks);
        keys += entry.hashes().length;
      }
      gathered = end() >= last || masks.size() >= mostSlots;
    }
  }

  /** How much of the generation it has bits for, from 0 to 1. */
  double coverage() {
    return (double) masks.size() / allSlots;
  }

  SlotMasks masks() {
    return masks;
  }

  /** Lets it write a row for every slot, also where there is no bit to be set. */
  void writeAllSlots() {
    writesAllSlots = true;
  }

  /** What is to be written next; nothing at all of an entry that only begins a generation. */
  FoldPart next() {
    if (masks.size() == 0) {
      return new FoldPart(new long[0], allSlots, true, false);
    }
    long[] slots =
        writesAllSlots
            ? LongStream.range(nextSlot, Math.min(allSlots, nextSlot + ROWS_PER_PART)).toArray()
            : masks.sortedSlots(nextSlot, ROWS_PER_PART);
    long end = slots[slots.length - 1] + 1;
    boolean last = writesAllSlots ? end == allSlots : masks.sortedSlots(end, 1).length == 0;
    return new FoldPart(slots, end, last, writesAllSlots);
  }

  /**
   * Goes on after that part, which is committed.
   *
   * @param left the fold row as it left it
   */
  void done(FoldPart part, FoldState left) {
    nextSlot = part.end();
    from = left;
  }
}
