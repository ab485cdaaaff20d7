package io.github.slotbloom.internal.verify;

import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.internal.store.filter.RemovalRecord;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.slots.RemovedRows;
import io.github.slotbloom.internal.verify.Findings.Place;
import io.github.slotbloom.report.Check;
import io.github.slotbloom.report.Finding.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the table of the removed hashes is as the journal tells. Read after the journal.
 *
 * <p>Others remove keys and fold meanwhile, and the parts of a large batch are in the table before
 * its entries count as folded. So a hash whose row does not fit what was folded at the beginning is
 * looked at once more: its row must fit the journal up to one of the entries from the last folded
 * one to the newest. A row of an entry that is older than the journal is taken for right. Not
 * thread-safe.
 */
final class RemovedKeysCheck {

  /** Hashes that are looked at once more at most. */
  private static final int MOST_DOUBTFUL = 1 << 18;

  /** Hashes that are looked for among the retained ones at most; 64 MiB. */
  private static final int MOST_OLDER = 1 << 22;

  private static final String MENDED = "A repair fixes it.";

  private static final String BY_HAND =
      "If the key should be a member, delete the row, and reopen the filter in each process.";

  /**
   * A row that is not as the journal tells.
   *
   * @param newest as {@link RemovalHistory#newest}
   * @param row number of the entry in the row; null if there is no row
   */
  record Fault(long hash, long newest, @Nullable Long row) {}

  private final FilterUnderVerification observed;
  private final Findings findings;
  private final @Nullable RemovalRecord removal;
  private final JournalCheck journal;
  private final HashLookup lookup;
  private final long since;
  private final HashBatch doubtful = new HashBatch(MOST_DOUBTFUL);
  private final List<Fault> faults = new ArrayList<>();
  private final HashBatch older = new HashBatch(MOST_OLDER);
  private long rows;
  private long meaningless;

  RemovedKeysCheck(
      FilterUnderVerification observed,
      JournalCheck journal,
      HashLookup lookup,
      Findings findings) {
    this.findings = findings;
    this.observed = observed;
    this.removal = observed.filter().removal();
    this.journal = journal;
    this.lookup = lookup;
    since = observed.filter().manifest().removedAfter();
  }

  /**
   * @param progress hears how many rows are read
   */
  void run(LongConsumer progress) {
    if (removal == null) {
      return;
    }
    if (!journal.isSound()) {
      findings.unchecked(Check.REMOVED_KEYS, "The journal is damaged.");
    } else if (journal.removals().isIncomplete()) {
      findings.unchecked(
          Check.REMOVED_KEYS, "The journal holds more removed hashes than fit into memory.");
    } else {
      try {
        run(new RemovedRows(observed.filter()), progress);
      } catch (SchemaException e) {
        damage(
            null,
            Objects.requireNonNullElse(e.getMessage(), e.toString()),
            "a table with the removed hashes",
            "Restore the bloom_ tables from one backup.");
      }
    }
  }

  private void run(RemovedRows table, LongConsumer progress) {
    long[] told = journal.removals().hashes();
    int next = 0;
    Optional<Long> last = Optional.empty();
    do {
      RemovedRows.Rows page = new RemovedRows.Rows();
      Long after = last.orElse(null);
      last =
          observed.ask(
              tx -> {
                // It may be another attempt.
                page.hashes.clear();
                page.seqs.clear();
                return Optional.ofNullable(table.page(tx, after, page));
              });
      for (int i = 0; i < page.hashes.size(); i++) {
        long hash = page.hashes.get(i);
        while (next < told.length && told[next] < hash) {
          require(told[next++], null);
        }
        next += next < told.length && told[next] == hash ? 1 : 0;
        take(hash, page.seqs.get(i));
      }
      progress.accept(rows);
    } while (last.isPresent());
    while (next < told.length) {
      require(told[next++], null);
    }
    if (doubtful.size() > 0) {
      lookAgain(table, doubtful.hashes());
    }
    if (doubtful.overflow() > 0) {
      findings.unchecked(
          Check.REMOVED_KEYS,
          "So many rows are in doubt that " + doubtful.overflow() + " were not looked at.");
    }
    if (meaningless > 0) {
      findings.checked(Check.REMOVED_KEYS, meaningless, "rows from before it was rebuilt");
    }
    findings.checked(Check.REMOVED_KEYS, rows - meaningless, "removed hashes");
  }

  private void take(long hash, long seq) {
    rows++;
    if (seq <= since) {
      meaningless++;
      return;
    }
    if (seq < begin() && observed.filter().retainHashes()) {
      older.add(hash, seq);
    }
    if (require(hash, seq) && !observed.filter().manifest().isWindow()) {
      // In a window the bits may have expired since.
      lookup.requireAnywhere(new long[] {hash}, seq);
    }
  }

  /** Returns true if a row is as the journal says. Else it is looked at once more. */
  private boolean require(long hash, @Nullable Long row) {
    if (isAllowed(journal.removals().newest(hash), row)) {
      return true;
    }
    doubtful.add(hash, 0);
    return false;
  }

  private Map<Long, Long> read(RemovedRows table, long[] hashes) {
    return observed.ask(
        tx -> {
          Map<Long, Long> read = new HashMap<>();
          table.read(tx, hashes, read::put);
          return read;
        });
  }

  /**
   * Returns true if a row may be so.
   *
   * @param newest as {@link RemovalHistory#newest}
   * @param row null if there is no row
   */
  private boolean isAllowed(long newest, @Nullable Long row) {
    if (row == null || row <= since) {
      return newest <= since;
    }
    return newest > since ? row == newest : newest == 0 && row < begin();
  }

  /** Returns the number of the first entry that was read. */
  private long begin() {
    return Objects.requireNonNullElse(journal.oldest(), observed.lastSeq() + 1);
  }

  private void lookAgain(RemovedRows table, long[] hashes) {
    Map<Long, Long> found = read(table, hashes);
    Map<Long, List<Long>> possible = new HashMap<>();
    for (long hash : hashes) {
      possible.put(hash, new ArrayList<>(List.of(journal.removals().newest(hash))));
    }
    boolean told =
        journal.forEachLater(
            observed.foldedSeq(),
            observed.ask(observed::endsNow).lastSeq(),
            entry -> {
              if (entry.kind().decidesRemoval()) {
                for (long hash : entry.hashes()) {
                  possible.computeIfPresent(hash, (h, marks) -> with(marks, entry));
                }
              }
            });
    if (told) {
      possible.forEach(
          (hash, newest) -> {
            Long row = found.get(hash);
            if (newest.stream().noneMatch(mark -> isAllowed(mark, row))) {
              tell(new Fault(hash, newest.get(0), row));
            }
          });
    } else {
      findings.unchecked(
          Check.REMOVED_KEYS,
          hashes.length + " rows changed meanwhile, and the journal does not tell why anymore.");
    }
  }

  private static List<Long> with(List<Long> marks, JournalEntry entry) {
    marks.add(RemovalHistory.mark(entry));
    return marks;
  }

  private void tell(Fault fault) {
    String hash = SlotTableCheck.hex(fault.hash());
    String found =
        fault.row() == null
            ? "no row for the hash " + hash
            : "a row for the hash " + hash + " with entry " + fault.row();
    if (fault.newest() == 0) {
      damage(fault.row(), found, "an entry of that number that removed it", BY_HAND);
      return;
    }
    faults.add(fault);
    damage(
        Math.abs(fault.newest()),
        found,
        fault.newest() > 0
            ? "one with entry " + fault.newest() + ", which removed it"
            : "none, since entry " + -fault.newest() + " brought it back",
        MENDED);
  }

  private void damage(@Nullable Long seq, String found, String expected, String remedy) {
    findings.damage(
        Kind.REMOVED_KEYS,
        new Place(Objects.requireNonNull(removal).table(), null, null, seq),
        found,
        expected,
        remedy);
  }

  /** Returns the hashes that were removed by entries that have left the journal, ascending. */
  HashBatch olderThanTheJournal() {
    return older;
  }

  /** Returns which of some hashes are still removed by an entry that has left the journal. */
  long[] stillRemoved(long[] hashes) {
    Map<Long, Long> rows = read(new RemovedRows(observed.filter()), hashes);
    return LongStream.of(hashes)
        .filter(
            hash -> rows.containsKey(hash) && rows.get(hash) > since && rows.get(hash) < begin())
        .toArray();
  }

  /** Returns the rows that are known to be wrong, and by which entry. */
  List<Fault> faults() {
    return faults;
  }
}
