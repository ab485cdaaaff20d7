package io.github.slotbloom.internal.membership;

import io.github.slotbloom.internal.bits.Probe;
import io.github.slotbloom.internal.bits.SlotReader;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.store.slots.SlotFields;
import io.github.slotbloom.internal.store.slots.SlotMasks;
import io.github.slotbloom.internal.store.slots.SlotRows;

/**
 * Holds the bits of one generation, for the slots in which some keys have bits. Not thread-safe.
 */
public final class GenerationBits implements SlotReader {

  private final GenerationRecord generation;
  private final Probe probe;
  private final SlotMasks wanted = new SlotMasks();
  private final SlotMasks found = new SlotMasks();

  public GenerationBits(GenerationRecord generation, long[] hashes) {
    this.generation = generation;
    probe = Probe.of(generation.parameters());
    probe.forEachMask(hashes, wanted);
  }

  GenerationRecord generation() {
    return generation;
  }

  /**
   * Returns true if the generation holds all bits of the key. The key must be one of those that
   * this object was made for.
   */
  boolean contains(long hash) {
    return probe.isMember(hash, this);
  }

  /** Takes in an entry whose keys or bits belong to this generation. */
  void addJournaled(JournalEntry entry) {
    entry.forEachMask(probe, (slot, mask) -> found.accept(slot, mask & wanted.mask(slot)));
  }

  /** Returns in how many slots the keys have bits. */
  int slots() {
    return wanted.size();
  }

  /** Returns the slots to be read with something else; they are added as they are read. */
  SlotFields slotFields() {
    return new SlotFields(generation, wanted.sortedSlots(), found);
  }

  public void addSlots(Tx tx) {
    new SlotRows(generation).read(tx, wanted.sortedSlots(), found);
  }

  /**
   * Does the same as {@link #addSlots}, with the slots as they are now. Needs the lock of the fold
   * row.
   */
  void addLockedSlots(Tx tx) {
    new SlotRows(generation).lock(tx, wanted.sortedSlots(), found);
  }

  @Override
  public long bits(long slot) {
    return found.mask(slot);
  }
}
