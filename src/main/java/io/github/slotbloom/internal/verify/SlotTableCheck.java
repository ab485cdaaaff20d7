package io.github.slotbloom.internal.verify;

import io.github.slotbloom.internal.engine.RetriedTransactions;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import io.github.slotbloom.internal.store.catalog.GenerationRecord;
import io.github.slotbloom.internal.store.catalog.GenerationState;
import io.github.slotbloom.internal.store.catalog.WindowGeneration;
import io.github.slotbloom.internal.store.slots.SlotRows;
import io.github.slotbloom.internal.store.slots.SlotTableAudit;
import io.github.slotbloom.internal.store.slots.SlotTableAudit.Beyond;
import io.github.slotbloom.report.Check;
import io.github.slotbloom.report.Finding.Kind;
import java.util.List;
import java.util.Locale;

/**
 * Checks that the slot tables exist, have the right columns, and hold nothing that no key can own.
 */
record SlotTableCheck(RetriedTransactions transactions, Findings findings) {

  private static final String TAKE_AWAY =
      "No key can own it, so a repair removes it. Look for what wrote it.";

  private static final String COLUMNS =
      "the columns slot BIGINT UNSIGNED PRIMARY KEY and bits BIGINT UNSIGNED NOT NULL";

  private static final String MAKE_AGAIN =
      "Drop the table if it is there, and set the state of its row in bloom_generation to CREATING:"
          + " then it is made again.";

  /** Returns whether all tables can be read. */
  boolean run(List<GenerationRecord> generations) {
    boolean readable = true;
    for (GenerationRecord generation : generations) {
      readable &= run(generation);
    }
    findings.checked(Check.SLOT_TABLES, generations.size(), "tables");
    return readable;
  }

  /** Checks the table that was made ahead for the next bucket of a window, if there is one. */
  void runAhead(FilterRecord filter, List<WindowGeneration> rows) {
    int next = filter.newestGeneration().number() + 1;
    rows.stream()
        .filter(row -> row.is(GenerationState.READY) && row.number() == next)
        .forEach(row -> requireEmpty(filter, row));
  }

  private void requireEmpty(FilterRecord filter, WindowGeneration row) {
    String table = filter.tables().slots(row.number());
    List<String> faults = transactions.attempt(tx -> SlotTableAudit.columnFaults(tx, table));
    boolean hasRows = faults.isEmpty() && !transactions.attempt(tx -> SlotRows.isEmpty(tx, table));
    if (faults.isEmpty() && !hasRows) {
      return;
    }
    // It may have begun meanwhile, and even have expired.
    if (!transactions.attempt(tx -> WindowGeneration.all(tx, filter.id())).contains(row)) {
      return;
    }
    findings.damage(
        hasRows ? Kind.BEYOND_END : Kind.SLOT_TABLE,
        new Place(table, row.number(), null, null),
        hasRows ? "rows" : String.join("; ", faults),
        hasRows ? "none before its bucket begins" : COLUMNS,
        hasRows ? TAKE_AWAY : MAKE_AGAIN);
  }

  private boolean run(GenerationRecord generation) {
    SlotTableAudit audit = new SlotTableAudit(generation);
    List<String> faults = transactions.attempt(audit::columnFaults);
    if (!faults.isEmpty()) {
      findings.damage(
          Kind.SLOT_TABLE,
          Place.slots(generation),
          String.join("; ", faults),
          COLUMNS,
          "Restore the bloom_ tables from one backup, or alter the columns back.");
      return false;
    }
    transactions.attempt(audit::beyond).ifPresent(beyond -> beyond(generation, beyond));
    long excess = transactions.attempt(audit::excessBits);
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
