package io.github.slotbloom.internal.admin;

import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.journal.JournalChain;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.JournalEntry.Kind;
import io.github.slotbloom.internal.store.journal.Tail;
import io.github.slotbloom.internal.store.journal.TailReader;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.store.slots.RemovedRows;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Counts the removed keys of a filter, by its table and the entries that are not folded yet. */
public final class RemovedCount {

  private RemovedCount() {}

  /**
   * Returns how many keys are removed by entries after the given one. Needs the lock of the head; a
   * fold may go on meanwhile.
   */
  public static long after(Tx tx, FilterRecord filter, long since) {
    Map<Long, Boolean> unfolded = new HashMap<>();
    Tail tail = TailReader.unfolded(tx, filter).orElseThrow();
    JournalChain chain = tail.chain(filter.name());
    List<JournalEntry> entries = tail.entries();
    while (!entries.isEmpty()) {
      entries.forEach(entry -> take(unfolded, entry, since));
      entries = Journal.next(tx, filter, chain, Long.MAX_VALUE);
    }
    RemovedRows rows = new RemovedRows(filter);
    long folded = rows.countAfter(tx, since);
    long[] hashes = unfolded.keySet().stream().mapToLong(Long::longValue).toArray();
    long[] among = {0};
    rows.read(tx, hashes, (hash, seq) -> among[0] += seq > since ? 1 : 0);
    return folded - among[0] + unfolded.values().stream().filter(gone -> gone).count();
  }

  private static void take(Map<Long, Boolean> newest, JournalEntry entry, long since) {
    boolean tells = entry.kind().decidesRemoval();
    if (tells && entry.seq() > since) {
      for (long hash : entry.hashes()) {
        newest.put(hash, entry.kind() == Kind.REMOVE);
      }
    }
  }
}
