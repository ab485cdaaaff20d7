package io.github.slotbloom.internal.admin;

import io.github.slotbloom.internal.store.journal.JournalEntry;
import java.util.HashSet;
import java.util.Set;

/**
 * The hashes whose newest entry removed them, of the entries that were taken in, in their order.
 * Not thread-safe.
 */
final class GoneHashes {

  private final Set<Long> gone = new HashSet<>();

  void take(JournalEntry entry) {
    if (entry.kind() == JournalEntry.Kind.REMOVE) {
      for (long hash : entry.hashes()) {
        gone.add(hash);
      }
    } else if (!gone.isEmpty()) {
      for (long hash : entry.hashes()) {
        gone.remove(hash);
      }
    }
  }

  long[] ascending() {
    return gone.stream().mapToLong(Long::longValue).sorted().toArray();
  }
}
