package io.github.slotbloom.internal.membership;

import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.JournalEntry.Kind;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.store.slots.RemovedRows;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Collects which of some keys are removed, from journal entries and from the table. They may come
 * in any order: the newest entry of a key decides. Not thread-safe.
 */
public final class RemovedKeys {

  /**
   * The newest entry.
   *
   * @param removed true if it removed the key, false if it brought the key back
   */
  private record Newest(long seq, boolean removed) {}

  private final RemovedRows rows;
  private final long[] wanted;
  private final Map<Long, Newest> known = new HashMap<>();

  public RemovedKeys(FilterRecord filter, long[] hashes) {
    rows = new RemovedRows(filter);
    wanted = hashes.clone();
    Arrays.sort(wanted);
  }

  /** Takes in an entry that is not folded yet. */
  public void addJournaled(JournalEntry entry) {
    if (entry.kind().decidesRemoval()) {
      for (long hash : entry.hashes()) {
        if (Arrays.binarySearch(wanted, hash) >= 0) {
          take(hash, entry.seq(), entry.kind() == Kind.REMOVE);
        }
      }
    }
  }

  /**
   * Takes in the rows of some of the keys.
   *
   * @param some hashes of keys that are collected
   */
  public void addRows(Tx tx, long[] some) {
    rows.read(tx, some, (hash, seq) -> take(hash, seq, true));
  }

  /** Does the same as {@link #addRows}, as {@link RemovedRows#lock} reads. */
  void addLockedRows(Tx tx) {
    rows.lock(tx, wanted, (hash, seq) -> take(hash, seq, true));
  }

  private void take(long hash, long seq, boolean removed) {
    Newest newest = known.get(hash);
    if (newest == null || seq > newest.seq()) {
      known.put(hash, new Newest(seq, removed));
    }
  }

  /**
   * Returns the number of the entry that removed a key; zero if it is not removed.
   *
   * @param before the answer from older entries
   */
  public long removedBy(long hash, long before) {
    Newest newest = known.get(hash);
    if (newest == null || newest.seq() < before) {
      return before;
    }
    return newest.removed() ? newest.seq() : 0;
  }
}
