package io.github.slotbloom.internal.verify;

import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.JournalEntry.Kind;

/**
 * Says which of the entries that were read removed a hash, or brought it back, last. Not
 * thread-safe.
 */
final class RemovalHistory {

  private final HashMarks newest = new HashMarks();

  void take(JournalEntry entry) {
    if (entry.kind().decidesRemoval()) {
      long mark = mark(entry);
      for (long hash : entry.hashes()) {
        newest.put(hash, mark);
      }
    }
  }

  /** Returns what {@link #newest} returns for a hash whose newest entry this is. */
  static long mark(JournalEntry entry) {
    return entry.kind() == Kind.REMOVE ? entry.seq() : -entry.seq();
  }

  /**
   * Returns the number of the newest entry that tells of a hash: as it is if the entry removed it,
   * negative if the entry brought it back; 0 if none does.
   */
  long newest(long hash) {
    return newest.get(hash);
  }

  boolean isRemoved(long hash) {
    return newest(hash) > 0;
  }

  /** Returns true if memory had no room for all hashes. */
  boolean isIncomplete() {
    return newest.isOverflowed();
  }

  /** Returns all hashes that it tells of, in ascending order. */
  long[] hashes() {
    return newest.hashes();
  }
}
