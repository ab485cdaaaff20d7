package io.github.slotbloom.internal.fold;

import io.github.slotbloom.internal.store.journal.HashBlocks;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The hashes of some entries, taken in their order: of each hash the newest entry says whether it
 * is held or gone. Not thread-safe.
 */
final class NewestHashes {

  private final long[] hashes;
  private int size;

  /** Only those that were ever removed, which are few. True if the hash is gone. */
  private final Map<Long, Boolean> everRemoved = new HashMap<>();

  /**
   * @param most how many hashes the entries hold together
   */
  NewestHashes(int most) {
    hashes = new long[most];
  }

  void take(JournalEntry entry) {
    boolean removes = entry.kind() == JournalEntry.Kind.REMOVE;
    for (long hash : entry.hashes()) {
      if (removes) {
        everRemoved.put(hash, true);
      } else {
        hashes[size++] = hash;
        if (!everRemoved.isEmpty()) {
          everRemoved.replace(hash, false);
        }
      }
    }
  }

  /** Returns the hashes that are held, ascending and distinct. */
  long[] held() {
    long[] all = Arrays.copyOf(hashes, size);
    long[] distinct = Arrays.copyOf(all, HashBlocks.sortDistinct(all, size));
    return everRemoved.isEmpty()
        ? distinct
        : Arrays.stream(distinct).filter(hash -> !everRemoved.getOrDefault(hash, false)).toArray();
  }

  /** Returns the hashes that are gone, ascending. */
  long[] gone() {
    return everRemoved.entrySet().stream()
        .filter(Map.Entry::getValue)
        .mapToLong(Map.Entry::getKey)
        .sorted()
        .toArray();
  }
}
