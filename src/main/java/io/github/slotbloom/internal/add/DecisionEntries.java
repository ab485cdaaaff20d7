package io.github.slotbloom.internal.add;

import io.github.slotbloom.internal.context.ServerWatch;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.filter.Cursor;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.KeyCounts;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.journal.JournalAppend;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.JournalEntry.Kind;
import io.github.slotbloom.internal.store.session.Tx;
import java.util.ArrayList;
import java.util.List;

/** Makes the entries of a decision, and appends them under the lock on the filter's head. */
final class DecisionEntries {

  private DecisionEntries() {}

  /** Returns the entries that record a decision; none if it changes nothing. Writes nothing. */
  static List<JournalEntry> chain(FilterHead head, Decision decision, long[] removedHashes) {
    List<JournalEntry> entries = new ArrayList<>();
    chain(entries, head, Kind.ADD, decision.newHashes());
    chain(entries, head, Kind.RETURN, decision.returningHashes());
    chain(entries, head, Kind.READD, decision.anewHashes());
    chain(entries, head, Kind.RENEW, decision.renewHashes());
    chain(entries, head, Kind.FILL, decision.fillHashes());
    chain(entries, head, Kind.SEEN, decision.seenHashes());
    chain(entries, head, Kind.REMOVE, removedHashes);
    return entries;
  }

  private static void chain(List<JournalEntry> entries, FilterHead head, Kind kind, long[] hashes) {
    Cursor end = entries.isEmpty() ? head.end() : entries.get(entries.size() - 1).cursor();
    entries.addAll(Journal.chain(end, kind, hashes));
  }

  /**
   * Returns what the entries add to the counts of the filter. Without retained hashes it is not
   * known whether a removed key was ever counted, so it stays counted, and is not counted again
   * when it returns. In a window a removed key counts until its bucket expires, and one that
   * returns is counted with the bucket that it returns to.
   */
  static KeyCounts counts(FilterHead head, Decision added, Removal removed) {
    long returning = added.returningHashes().length;
    long renewed = added.renewHashes().length;
    long keys =
        added.keysToSet() - renewed + (head.countsDown() ? returning - removed.counted() : 0);
    long back = head.isWindow() ? 0 : returning + added.anewHashes().length;
    return new KeyCounts(
        Math.max(keys, -head.keysAdded()),
        Math.max(removed.hashes().length - back, -head.keysRemoved()),
        renewed);
  }

  /**
   * Appends entries. If there are none, makes sure that the state seen under the lock survives a
   * crash once this transaction is acknowledged.
   */
  static void append(
      Tx tx, long filterId, List<JournalEntry> entries, KeyCounts counts, ServerWatch server) {
    if (!entries.isEmpty()) {
      JournalAppend.append(tx, filterId, entries, counts);
    } else if (!server.visibleIsDurable()) {
      Catalog.tick(tx, filterId);
    }
  }
}
