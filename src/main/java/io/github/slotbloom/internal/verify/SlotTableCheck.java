package io.github.slotbloom.internal.verify;

import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.slots.SlotTableAudit;
import io.github.slotbloom.internal.store.slots.SlotTableAudit.Beyond;
import io.github.slotbloom.internal.verify.Findings.Place;
import io.github.slotbloom.report.Check;
import io.github.slotbloom.report.Finding.Kind;
import java.util.List;
import java.util.Locale;

/**
 * Checks that the slot tables exist, have the right columns, and hold nothing that no key can own.
 */
record SlotTableCheck(FilterUnderVerification observed, Findings findings) {

  private static final String TAKE_AWAY =
      "No key can have set it, so a repair removes it. Find out what wrote it.";

  /** Returns whether all tables can be read. */
  boolean run() {
    boolean readable = true;
    for (GenerationRecord generation : observed.generations()) {
      readable &= run(generation);
    }
    findings.checked(Check.SLOT_TABLES, observed.generations().size(), "tables");
    return readable;
  }

  private boolean run(GenerationRecord generation) {
    SlotTableAudit audit = new SlotTableAudit(generation);
    List<String> faults = observed.ask(audit::columnFaults);
    if (!faults.isEmpty()) {
      findings.damage(
          Kind.SLOT_TABLE,
          Place.slots(generation),
          String.join("; ", faults),
          "the columns slot BIGINT UNSIGNED PRIMARY KEY and bits BIGINT UNSIGNED NOT NULL",
          "Restore the bloom_ tables from one backup, or alter the columns back.");
      return false;
    }
    observed.ask(audit::beyond).ifPresent(beyond -> beyond(generation, beyond));
    long excess = observed.ask(audit::excessBits);
    if (excess != 0) {
      findings.damage(
          Kind.BEYOND_END,
          Place.slot(generation, generation.parameters().slots() - 1, null),
          "the bits " + hex(excess),
          "none beyond the " + generation.parameters().bits() + " bits of the generation",
          TAKE_AWAY);
    }
    return true;
  }

  private void beyond(GenerationRecord generation, Beyond beyond) {
    findings.damage(
        Kind.BEYOND_END,
        Place.slot(generation, beyond.first(), null),
        beyond.rows() == 1
            ? "a row"
            : "%s rows, of which slot %s is the first"
                .formatted(beyond.rows(), Long.toUnsignedString(beyond.first())),
        "none beyond slot " + (generation.parameters().slots() - 1),
        TAKE_AWAY);
  }

  static String hex(long bits) {
    return String.format(Locale.ROOT, "0x%016x", bits);
  }
}
