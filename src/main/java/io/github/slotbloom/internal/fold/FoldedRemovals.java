package io.github.slotbloom.internal.fold;

import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.JournalEntry.Kind;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.store.slots.RemovedRows;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The keys that a {@link FoldBatch} removes or brings back: of each key what its newest entry says.
 * Not thread-safe.
 */
final class FoldedRemovals {

  /** Marks a key that is back. */
  private static final long BACK = 0;

  /** In the order of the hashes, so that rows fill their pages. */
  private final NavigableMap<Long, Long> removedBy = new TreeMap<>();

  private @Nullable Long lastWritten;

  void take(JournalEntry entry) {
    if (entry.kind().decidesRemoval()) {
      for (long hash : entry.hashes()) {
        removedBy.put(hash, entry.kind() == Kind.REMOVE ? entry.seq() : BACK);
      }
    }
  }

  boolean isDone() {
    return unwritten().isEmpty();
  }

  boolean isBegun() {
    return lastWritten != null;
  }

  private NavigableMap<Long, Long> unwritten() {
    return lastWritten == null ? removedBy : removedBy.tailMap(lastWritten, false);
  }

  /**
   * Writes the next rows.
   *
   * @param most the most rows to write
   * @return the last hash that is written once this is committed, to be passed to {@link #done}
   */
  long writeNext(Tx tx, RemovedRows rows, int most) {
    RemovedRows.Rows removed = new RemovedRows.Rows();
    List<Long> back = new ArrayList<>();
    long last = unwritten().firstKey();
    int count = 0;
    for (Map.Entry<Long, Long> each : unwritten().entrySet()) {
      if (count++ == most) {
        break;
      }
      last = each.getKey();
      if (each.getValue() == BACK) {
        back.add(last);
      } else {
        removed.accept(last, each.getValue());
      }
    }
    rows.put(tx, removed.hashes, removed.seqs);
    rows.delete(tx, back);
    return last;
  }

  void done(long nowWritten) {
    lastWritten = nowWritten;
  }
}
