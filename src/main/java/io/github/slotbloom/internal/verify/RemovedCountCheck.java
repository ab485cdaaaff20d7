package io.github.slotbloom.internal.verify;

import io.github.slotbloom.internal.engine.RetriedTransactions;
import io.github.slotbloom.internal.mirror.FilterNotReady;
import io.github.slotbloom.internal.store.RemovedRows;
import io.github.slotbloom.internal.store.Tx;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.FilterHead;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import io.github.slotbloom.internal.store.catalog.RemovalRecord;
import io.github.slotbloom.internal.store.journal.JournalAudit;
import io.github.slotbloom.internal.store.journal.JournalEnds;
import io.github.slotbloom.internal.store.journal.StoredEntry;
import io.github.slotbloom.report.Check;
import io.github.slotbloom.report.Finding.Kind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Checks that as many keys are counted as removed as there are removed hashes, or in a window at
 * least as many: those of the table, but for a hash in an entry that is not folded yet, what that
 * entry says. Others may remove keys and fold meanwhile. So it is read until nobody did.
 */
record RemovedCountCheck(RetriedTransactions transactions, FilterRecord filter, Findings findings) {

  private static final int MOST_ATTEMPTS = 20;

  /**
   * What was found at one moment.
   *
   * @param counted as row 0 of the journal says
   * @param removed hashes that are removed
   */
  private record Counts(long counted, long removed) {}

  void run(RemovalRecord removal) {
    RemovedRows table = new RemovedRows(removal);
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      Optional<Counts> counts = transactions.attempt(tx -> read(tx, table));
      if (counts.isPresent()) {
        compare(counts.get());
        return;
      }
    }
    findings.unchecked(
        Check.KEY_COUNT,
        "Keys were removed or folded all the time, so it could not be seen whether keys_removed is"
            + " right.");
  }

  private void compare(Counts counts) {
    // A window counts keys that returned until the bucket expires in which they were removed.
    boolean fits =
        filter.window() == null
            ? counts.counted() == counts.removed()
            : counts.counted() >= counts.removed();
    if (!fits) {
      findings.damage(
          Set.of(Ground.FILTER_ROW),
          Kind.KEY_COUNT,
          "the keys_removed " + counts.counted(),
          (filter.window() == null ? "" : "at least ")
              + counts.removed()
              + ", the hashes that are removed",
          "Correct keys_removed in row 0 of the filter in bloom_journal. It decides when keys cannot be"
              + " removed anymore, and no answer depends on it.");
    }
    findings.checked(Check.KEY_COUNT, counts.counted(), "removed keys");
  }

  /** Returns empty if something was written meanwhile. */
  private Optional<Counts> read(Tx tx, RemovedRows table) {
    JournalEnds before = ends(tx);
    FilterHead head = head(tx);
    if (head.lastSeq() != before.lastSeq()) {
      return Optional.empty();
    }
    RemovalHistory unfolded = new RemovalHistory();
    long reached = Objects.requireNonNullElse(before.foldedSeq(), 0L);
    while (reached < before.lastSeq()) {
      List<StoredEntry> page = JournalAudit.page(tx, filter, reached, before.lastSeq());
      for (StoredEntry stored : page) {
        if (stored.seq() != ++reached || stored.entry() == null) {
          return Optional.empty();
        }
        unfolded.take(stored.entry());
      }
      if (page.isEmpty()) {
        return Optional.empty();
      }
    }
    if (unfolded.isIncomplete()) {
      return Optional.empty();
    }
    long[] changing = unfolded.hashes();
    long since = filter.set().removedAfter();
    Map<Long, Long> there = rows(tx, table, changing);
    long rows = table.countAfter(tx, since);
    if (!there.equals(rows(tx, table, changing))
        || !before.equals(ends(tx))
        || head.lastToken() != head(tx).lastToken()) {
      return Optional.empty();
    }
    long changed = 0;
    for (long hash : changing) {
      changed += unfolded.isRemoved(hash) ? 1 : 0;
      changed -= there.getOrDefault(hash, 0L) > since ? 1 : 0;
    }
    return Optional.of(new Counts(head.keysRemoved(), rows + changed));
  }

  private static Map<Long, Long> rows(Tx tx, RemovedRows table, long[] hashes) {
    Map<Long, Long> rows = new HashMap<>();
    table.read(tx, hashes, rows::put);
    return rows;
  }

  private FilterHead head(Tx tx) {
    return Catalog.find(tx, filter.id())
        .orElseThrow(() -> FilterNotReady.gone(filter.name()))
        .head();
  }

  private JournalEnds ends(Tx tx) {
    return JournalAudit.ends(tx, filter.id()).orElseThrow(() -> FilterNotReady.gone(filter.name()));
  }
}
