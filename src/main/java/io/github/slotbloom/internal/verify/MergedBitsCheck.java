package io.github.slotbloom.internal.verify;

import io.github.slotbloom.internal.bits.Probe;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.Manifest;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.slots.SlotMasks;
import io.github.slotbloom.internal.store.slots.SlotRows;
import io.github.slotbloom.internal.verify.Findings.Place;
import io.github.slotbloom.report.Finding.Kind;

/** Checks that the slots hold the bits of other filters that were merged into this one. */
record MergedBitsCheck(FilterUnderVerification observed, Findings findings) {

  private static final String RESTORE =
      "Add the keys of that bucket again, or restore the bloom_ tables from one backup.";

  private static final String AGAIN =
      "Merge that filter again, which sets the bits, or restore the bloom_ tables from one backup.";

  /**
   * @param entry of merged bits, which was folded before this call
   */
  void require(JournalEntry entry) {
    Manifest manifest = observed.filter().manifest();
    entry.forEachTaker(manifest, place -> require(entry, manifest.all().get(place)));
  }

  private void require(JournalEntry entry, GenerationRecord generation) {
    SlotMasks wanted = new SlotMasks();
    entry.forEachMask(Probe.of(generation.parameters()), wanted);
    long[] slots = wanted.sortedSlots();
    SlotMasks found = new SlotMasks();
    observed.run(tx -> new SlotRows(generation).read(tx, slots, found));
    for (long slot : slots) {
      long lacking = wanted.mask(slot) & ~found.mask(slot);
      if (lacking != 0) {
        findings.damage(
            Kind.BITS_MISSING,
            Place.slot(generation, slot, entry.seq()),
            SlotTableCheck.hex(found.mask(slot)),
            "the bits "
                + SlotTableCheck.hex(lacking)
                + " as well, which "
                + (observed.filter().manifest().isWindow()
                    ? "a repair set"
                    : "another filter brought"),
            observed.filter().manifest().isWindow() ? RESTORE : AGAIN);
      }
    }
  }
}
