package io.github.slotbloom.internal.verify;

import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.JournalEntry.Kind;
import java.util.HashMap;
import java.util.Map;

/**
 * Says which of the entries that were read removed a hash, or brought it back, last. Not
 * thread-safe.
 */
final class RemovalHistory {

  /** As many hashes as an eighth of the heap has room for, with what a map needs for each. */
  private static final long MOST = Runtime.getRuntime().maxMemory() / 8 / 96;

  private final Map<Long, Long> newest = new HashMap<>();
  private boolean incomplete;

  void take(JournalEntry entry) {
    if (entry.kind().decidesRemoval()) {
      for (long hash : entry.hashes()) {
        if (newest.size() < MOST || newest.containsKey(hash)) {
          newest.put(hash, mark(entry));
        } else {
          incomplete = true;
        }
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
    return newest.getOrDefault(hash, 0L);
  }

  boolean isRemoved(long hash) {
    return newest(hash) > 0;
  }

  /** Returns true if memory had no room for all hashes. */
  boolean isIncomplete() {
    return incomplete;
  }

  /** Returns all hashes that it tells of, in ascending order. */
  long[] hashes() {
    return newest.keySet().stream().mapToLong(hash -> hash).sorted().toArray();
  }
}
