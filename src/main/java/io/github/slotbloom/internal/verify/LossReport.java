package io.github.slotbloom.internal.verify;

import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.slots.SlotRows;
import io.github.slotbloom.internal.verify.Findings.Place;
import io.github.slotbloom.internal.verify.HashLookup.SlotLoss;
import io.github.slotbloom.report.Check;
import io.github.slotbloom.report.Finding.Kind;
import io.github.slotbloom.report.VerifyReport;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;

/** Says which recorded hashes are not in the slots: slot by slot, where it is known which. */
record LossReport(
    FilterUnderVerification observed,
    HashLookup lookup,
    RemovalHistory removals,
    Findings findings) {

  private static final String REPAIR =
      "A repair sets the bits of recorded keys again. Keys that are no longer recorded may"
          + " also have lost bits of that slot: verify with the keys.";

  void run() {
    for (int place = 0; place < observed.generations().size(); place++) {
      tell(observed.generations().get(place), lookup.in(place).losses);
    }
    HashBatch unexplained = lookup.unexplained();
    for (int i = 0; i < unexplained.size(); i++) {
      findings.damage(
          Kind.HASH_MISSING,
          "the hash %s of %s"
              .formatted(SlotTableCheck.hex(unexplained.hash(i)), source(unexplained.seq(i))),
          "a generation that has all of its bits",
          "A repair adds it to the newest generation, not counted.");
    }
    long forgotten = lookup.forgotten(removals::isRemoved);
    if (forgotten > 0) {
      findings.remark(
          Kind.HASH_MISSING,
          forgotten + " recorded hashes from before the last replacement that no generation has",
          "none, unless the replacement was forced, or its source never had those keys",
          "If the filter should still have them, replace it again from a source that has them.");
    }
    if (lookup.unremembered() > 0) {
      findings.unchecked(
          Check.FOLDED_ENTRIES,
          "So many hashes are lost that the slots of "
              + lookup.unremembered()
              + " of them were not looked at one by one.");
    }
    findings.checked(Check.FOLDED_ENTRIES, lookup.looked(), "hashes");
  }

  private void tell(GenerationRecord generation, SortedMap<Long, SlotLoss> losses) {
    long[] named =
        losses.keySet().stream()
            .limit(VerifyReport.MOST_OF_A_KIND)
            .mapToLong(slot -> slot)
            .toArray();
    Map<Long, Long> rows = new HashMap<>();
    observed.run(tx -> new SlotRows(generation).read(tx, named, rows::put));
    losses.forEach(
        (slot, loss) ->
            findings.damage(
                Kind.BITS_MISSING,
                Place.slot(generation, slot, loss.firstSeq() == 0 ? null : loss.firstSeq()),
                rows.containsKey(slot) ? SlotTableCheck.hex(rows.get(slot)) : "no row",
                "the bits %s as well, for recorded keys, the first in %s"
                    .formatted(SlotTableCheck.hex(loss.bits()), source(loss.firstSeq())),
                REPAIR));
  }

  private static String source(long seq) {
    return seq == 0 ? "the retained hashes" : "entry " + seq;
  }
}
