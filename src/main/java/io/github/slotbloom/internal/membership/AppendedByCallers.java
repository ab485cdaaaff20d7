package io.github.slotbloom.internal.membership;

import io.github.slotbloom.internal.store.filter.Cursor;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;

/**
 * Remembers the latest entries that transactions of callers appended, so that the next transaction
 * need not read them before the mirror has them. Nobody tells this process whether such an entry
 * was committed. But the end of the journal has a token, and each entry has that of the one before:
 * what leads from the mirror to the end is in the journal. Thread-safe.
 */
final class AppendedByCallers {

  private static final int MOST_ENTRIES = 64;

  /** Larger ones are worth a round trip, and not the memory. */
  private static final int MOST_KEYS_OF_ONE = 128;

  private final Map<Cursor, JournalEntry> entries = new HashMap<>();
  private final Queue<Cursor> oldest = new ArrayDeque<>();

  synchronized void add(JournalEntry entry) {
    if (entry.hashes().length > MOST_KEYS_OF_ONE) {
      return;
    }
    entries.put(entry.cursor(), entry);
    oldest.add(entry.cursor());
    if (oldest.size() > MOST_ENTRIES) {
      entries.remove(oldest.remove());
    }
  }

  /** Returns the entries after one, up to the end of the journal; none if one is not known. */
  synchronized Collection<JournalEntry> between(Cursor after, Cursor end) {
    Deque<JournalEntry> found = new ArrayDeque<>();
    Cursor next = end;
    while (!next.equals(after)) {
      JournalEntry entry = entries.get(next);
      if (entry == null) {
        return List.of();
      }
      found.addFirst(entry);
      next = new Cursor(entry.seq() - 1, entry.previousToken());
    }
    return found;
  }
}
