package io.github.slotbloom.engine;

import io.github.slotbloom.core.Probe;
import io.github.slotbloom.core.SlotReader;
import io.github.slotbloom.store.GenerationRecord;
import io.github.slotbloom.store.JournalEntry;
import io.github.slotbloom.store.SlotMasks;
import io.github.slotbloom.store.SlotRows;
import io.github.slotbloom.store.Tx;

/** The bits of one generation in those slots that some keys have bits in. Not thread-safe. */
final class GenerationBits implements SlotReader {

  private final GenerationRecord generation;
  private final SlotRows rows;
  private final Probe probe;
  private final SlotMasks wanted = new SlotMasks();
  private final SlotMasks found = new SlotMasks();

  GenerationBits(GenerationRecord generation, long[] hashes) {
    this.generation = generation;
    rows = new SlotRows(generation);
    probe = Probe.of(generation.parameters());
    probe.forEachMask(hashes, wanted);
  }

  GenerationRecord generation() {
    return generation;
  }

  /** Whether it holds all bits of the key, which has to be one of those that it was made for. */
  boolean contains(long hash) {
    return probe.isMember(hash, this);
  }

  /** Takes in an entry whose keys or bits belong to this generation. */
  void addJournaled(JournalEntry entry) {
    entry.forEachMask(probe, (slot, mask) -> found.accept(slot, mask & wanted.mask(slot)));
  }

  void addSlots(Tx tx) {
    rows.read(tx, wanted.sortedSlots(), found);
  }

  /** As {@link #addSlots}, as they are now. Needs the lock of the fold row. */
  void addLockedSlots(Tx tx) {
    rows.lock(tx, wanted.sortedSlots(), found);
  }

  @Override
  public long bits(long slot) {
    return found.mask(slot);
  }
}
