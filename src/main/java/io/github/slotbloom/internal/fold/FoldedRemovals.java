package io.github.slotbloom.internal.fold;

import io.github.slotbloom.internal.store.RemovedRows;
import io.github.slotbloom.internal.store.Tx;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.JournalEntry.Kind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The keys that a {@link FoldBatch} removes or brings back: of each key what its newest entry says.
 * Not thread-safe.
 */
final class FoldedRemovals {

  /** Marks a key that is back. */
  private static final long BACK = 0;

  private final Map<Long, Long> removedBy = new LinkedHashMap<>();
  private int written;

  void take(JournalEntry entry) {
    if (entry.kind().decidesRemoval()) {
      for (long hash : entry.hashes()) {
        removedBy.put(hash, entry.kind() == Kind.REMOVE ? entry.seq() : BACK);
      }
    }
  }

  boolean isDone() {
    return written == removedBy.size();
  }

  boolean isBegun() {
    return written > 0;
  }

  /**
   * Writes the next rows.
   *
   * @param most the most rows to write
   * @return how many are written once this is committed, to be passed to {@link #done}
   */
  int writeNext(Tx tx, RemovedRows rows, int most) {
    RemovedRows.Rows removed = new RemovedRows.Rows();
    List<Long> back = new ArrayList<>();
    removedBy.entrySet().stream()
        .skip(written)
        .limit(most)
        .forEach(
            each -> {
              if (each.getValue() == BACK) {
                back.add(each.getKey());
              } else {
                removed.accept(each.getKey(), each.getValue());
              }
            });
    rows.put(tx, removed.hashes, removed.seqs);
    rows.delete(tx, back);
    return written + removed.hashes.size() + back.size();
  }

  void done(int nowWritten) {
    written = nowWritten;
  }
}
