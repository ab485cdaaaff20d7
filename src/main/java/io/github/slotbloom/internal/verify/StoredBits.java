package io.github.slotbloom.internal.verify;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Fill;
import io.github.slotbloom.internal.bits.FillCount;
import io.github.slotbloom.internal.bits.Probe;
import io.github.slotbloom.internal.bits.SlotReader;
import io.github.slotbloom.internal.context.RetriedTransactions;
import io.github.slotbloom.internal.membership.GenerationBits;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.Manifest;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.slots.SlotMasks;
import io.github.slotbloom.internal.store.slots.SlotRows;
import java.util.ArrayList;
import java.util.List;

/**
 * The content of the slot tables: read into memory once where they fit, else looked up for each
 * batch of keys. It is without the journal, until the entries are taken in that are not folded. Not
 * thread-safe.
 */
final class StoredBits {

  /** Beside the batches of hashes. Twice as much is in use while an array grows. */
  private static final int SHARE_OF_HEAP = 8;

  private static final long SLOTS_PER_RANGE = 1 << 14;
  private static final long MOST_SLOTS = Integer.MAX_VALUE - 8;

  private final RetriedTransactions transactions;
  private final List<GenerationRecord> generations;
  private final boolean inMemory;
  private final List<SlotMasks> loaded = new ArrayList<>();
  private final List<Probe> probes;

  StoredBits(RetriedTransactions transactions, List<GenerationRecord> generations) {
    this.transactions = transactions;
    this.generations = generations;
    probes = generations.stream().map(GenerationRecord::parameters).map(Probe::of).toList();
    inMemory =
        generations.stream().mapToLong(g -> g.parameters().bytes()).sum()
                <= Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP
            && generations.stream().allMatch(g -> g.parameters().slots() <= MOST_SLOTS);
  }

  boolean isInMemory() {
    return inMemory;
  }

  /** Returns what tells the bits of a key in the generation in that place. */
  Probe probe(int place) {
    return probes.get(place);
  }

  /** Reads them, if memory can hold them. */
  void load() {
    if (inMemory) {
      generations.forEach(generation -> loaded.add(load(generation)));
    }
  }

  private SlotMasks load(GenerationRecord generation) {
    BloomParameters parameters = generation.parameters();
    long slots = parameters.slots();
    long inLast = parameters.lastSlotMask();
    SlotMasks bits = SlotMasks.forAll((int) slots);
    SlotRows rows = new SlotRows(generation);
    for (long from = 0; from < slots; from += SLOTS_PER_RANGE) {
      long first = from;
      long end = Math.min(slots, first + SLOTS_PER_RANGE);
      transactions.run(
          tx ->
              rows.scan(
                  tx,
                  first,
                  end,
                  (slot, mask) -> bits.accept(slot, slot == slots - 1 ? mask & inLast : mask)));
    }
    return bits;
  }

  /** Takes in an entry that is not folded, so that the bits are those that answer lookups. */
  void takeIn(Manifest manifest, JournalEntry entry) {
    entry.forEachTaker(manifest, place -> entry.forEachMask(probes.get(place), loaded.get(place)));
  }

  /**
   * The bits in the slots of some keys of the generation in that place: as they were when they were
   * loaded, or later.
   */
  SlotReader of(int place, long[] hashes) {
    return inMemory ? loaded.get(place)::mask : now(place, hashes);
  }

  /** As {@link #of}, as they are now. */
  SlotReader now(int place, long[] hashes) {
    return transactions.ask(
        tx -> {
          GenerationBits bits = new GenerationBits(generations.get(place), hashes);
          bits.addSlots(tx);
          return bits;
        });
  }

  Fill fill(int place) {
    GenerationRecord generation = generations.get(place);
    return inMemory
        ? FillCount.of(generation.parameters(), loaded.get(place)::mask)
        : transactions.ask(tx -> new SlotRows(generation).counts(tx)).fill();
  }
}
