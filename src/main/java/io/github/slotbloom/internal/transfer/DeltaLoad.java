package io.github.slotbloom.internal.transfer;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.FilterMismatchException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.snapshot.SnapshotHeader;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.filter.Cursor;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.KeyCounts;
import io.github.slotbloom.internal.store.filter.Manifest;
import io.github.slotbloom.internal.store.journal.ImportRows;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.journal.JournalAppend;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.JournalEntry.Kind;
import io.github.slotbloom.internal.store.session.Tx;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Appends the entries of a delta to the journal of a filter that ends where the delta begins, or
 * somewhere in it.
 *
 * <p>The end of the journal says what the filter holds. So each transaction appends what is missing
 * at its turn, whatever became of the one before, and whoever else imports the same. Not
 * thread-safe.
 */
final class DeltaLoad {

  /** Some hundredths of a second under the lock, with full entries. */
  private static final int HASHES_PER_TRANSACTION = 8 * JournalEntry.MAX_HASHES;

  private static final int ENTRIES_PER_TRANSACTION = 256;

  /** Those who ask the tables read what is not folded. */
  private static final int TRANSACTIONS_BETWEEN_FOLDS = 32;

  private static final String EARLIER =
      "Import the deltas in between first, in their order. If one of them is refused, import a full"
          + " export under another name.";

  private static final String OTHER =
      "It was not made from that export, or was changed since. Import a full export under another"
          + " name.";

  private static final String PAST_IT =
      "That is past the last entry of this delta, which its journal no longer holds, so it cannot be"
          + " told whether it took this delta. Go on with the next delta; it is refused if it does"
          + " not fit.";

  private static final String CLEARED =
      "It had this delta, but was cleared or replaced since. Import a full export under another"
          + " name.";

  private final FilterDirectory directory;
  private final FilterEngines engines;
  private final SnapshotHeader delta;
  private final FilterRecord filter;
  private final List<JournalEntry> due = new ArrayList<>();
  private int hashesDue;
  private int transactions;

  /** The last entry that needs no further transaction; null if there is none yet. */
  private @Nullable Cursor reached;

  /**
   * @throws FilterNotFoundException if there is no such filter, or it cannot be used
   */
  DeltaLoad(
      FilterDirectory directory, FilterEngines engines, FilterName name, SnapshotHeader delta) {
    this.directory = directory;
    this.engines = engines;
    this.delta = delta;
    this.filter =
        directory
            .findUsable(name)
            .orElseThrow(
                () ->
                    new FilterNotFoundException(
                        ("There is no filter %s to take this delta. Import an export of filter %s"
                                + " first that goes to entry %s.")
                            .formatted(name, delta.name(), base())));
  }

  private long base() {
    return Objects.requireNonNull(delta.base()).seq();
  }

  /**
   * Takes the next entry.
   *
   * @throws FilterMismatchException if it does not continue what the filter holds
   */
  void accept(JournalEntry entry) {
    due.add(entry);
    hashesDue += entry.hashes().length;
    if (due.size() == ENTRIES_PER_TRANSACTION || hashesDue >= HASHES_PER_TRANSACTION) {
      append();
    }
  }

  /**
   * Appends what is left.
   *
   * @throws FilterMismatchException if the filter does not have the delta afterwards
   */
  void finish() {
    append();
    directory.askPatiently(this::requireTaken);
    engines.folder(filter).foldAll();
  }

  /** Under the lock, so that all it reads is of one moment. */
  private FilterHead requireTaken(Tx tx) {
    FilterHead head = lock(tx);
    Cursor last = delta.last();
    if (head.end().equals(last)) {
      return head;
    }
    if (!Journal.holds(tx, filter.id(), last)) {
      boolean held = Journal.firstSeq(tx, filter.id()).filter(seq -> seq <= last.seq()).isPresent();
      throw refused(head, held || head.lastSeq() <= last.seq() ? whyNotNext(tx, head) : PAST_IT);
    }
    Manifest manifest = Catalog.at(tx, filter, head).manifest();
    // Growth and merges lose no key, nor can a replacement do so that knows all hashes.
    if (manifest.begins() > last.seq()
        || (manifest.replacedAfter(last.seq()) && !filter.retainHashes())) {
      throw refused(head, CLEARED);
    }
    return head;
  }

  private FilterHead lock(Tx tx) {
    return directory.lockActive(tx, filter, "take in a delta");
  }

  private void append() {
    directory.askPatiently(this::append);
    if (!due.isEmpty()) {
      reached = due.get(due.size() - 1).cursor();
    }
    due.clear();
    hashesDue = 0;
    if (++transactions % TRANSACTIONS_BETWEEN_FOLDS == 0) {
      engines.folder(filter).foldAll();
    }
  }

  /** Returns what it appended. It may be repeated after a lost answer. */
  private List<JournalEntry> append(Tx tx) {
    FilterHead head = lock(tx);
    List<JournalEntry> missing =
        due.stream().dropWhile(entry -> entry.seq() <= head.lastSeq()).toList();
    if (!missing.isEmpty()) {
      JournalEntry next = missing.get(0);
      if (!new Cursor(next.seq() - 1, next.previousToken()).equals(head.end()) || !isReadable()) {
        throw refused(head, taken(tx) + whyNotNext(tx, head));
      }
      JournalAppend.append(tx, filter.id(), missing, counts(head, missing));
      ImportRows.endsAsImported(tx, filter.id(), missing.get(missing.size() - 1).token());
    }
    return missing;
  }

  /**
   * Returns what some entries count. What a removed or returned key counted, only the end of the
   * delta says: no more is counted before.
   */
  private KeyCounts counts(FilterHead head, List<JournalEntry> missing) {
    long keys = delta.keysAdded() - head.keysAdded();
    long removed = delta.keysRemoved() - head.keysRemoved();
    return missing.get(missing.size() - 1).cursor().equals(delta.last())
        ? new KeyCounts(keys, removed)
        : new KeyCounts(
            Math.min(keys, hashes(missing, Kind::adds)),
            Math.min(removed, hashes(missing, kind -> kind == Kind.REMOVE)));
  }

  private static long hashes(List<JournalEntry> entries, Predicate<Kind> kinds) {
    return entries.stream()
        .filter(entry -> kinds.test(entry.kind()))
        .mapToLong(entry -> entry.hashes().length)
        .sum();
  }

  /** Somebody may have forged it: nobody could read such entries. */
  private boolean isReadable() {
    return filter.removable() == delta.removablePercent() > 0
        && filter.retainHashes() == delta.retainHashes();
  }

  /** Says which part of the delta the filter has; nothing if it is not known to have any. */
  private String taken(Tx tx) {
    Cursor last = reached;
    return last != null && Journal.holds(tx, filter.id(), last)
        ? "Entries %s to %s of this delta were taken in. ".formatted(base() + 1, last.seq())
        : "";
  }

  private String whyNotNext(Tx tx, FilterHead head) {
    return head.lastSeq() < base() && ImportRows.isAsImported(tx, head, filter.id())
        ? EARLIER
        : OTHER;
  }

  private FilterMismatchException refused(FilterHead head, String why) {
    return new FilterMismatchException(
        ("Filter %s cannot take this delta: it continues filter %s after entry %s and goes to entry"
                + " %s, and filter %s ends with entry %s. %s")
            .formatted(
                filter.name(),
                delta.name(),
                base(),
                delta.last().seq(),
                filter.name(),
                head.lastSeq(),
                why));
  }
}
