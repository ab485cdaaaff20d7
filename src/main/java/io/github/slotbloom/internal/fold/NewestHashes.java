package io.github.slotbloom.internal.fold;

import io.github.slotbloom.internal.store.journal.HashBlocks;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The hashes of some entries, taken in their order: of each hash the newest entry says whether it
 * is held or gone. Not thread-safe.
 */
final class NewestHashes {

  private final long[] hashes;
  private int size;

  /** The state of a hash by its newest entry. Only hashes that were ever removed have one. */
  private enum State {
    GONE,
    ADDED,
    SEEN
  }

  /** Only those that were ever removed, which are few. */
  private final Map<Long, State> everRemoved = new HashMap<>();

  /** The hashes that were answered "new", if it matters. */
  private final long @Nullable [] added;

  private int addedSize;

  /**
   * @param most how many hashes the entries hold together
   * @param counting true if it matters which hashes were answered "new"
   */
  NewestHashes(int most, boolean counting) {
    hashes = new long[most];
    added = counting ? new long[most] : null;
  }

  void take(JournalEntry entry) {
    boolean removes = entry.kind() == JournalEntry.Kind.REMOVE;
    for (long hash : entry.hashes()) {
      if (removes) {
        everRemoved.put(hash, State.GONE);
      } else {
        hashes[size++] = hash;
        if (added != null && entry.kind().adds()) {
          added[addedSize++] = hash;
        }
        if (!everRemoved.isEmpty()) {
          // Who was added since stays so, however often it is seen.
          State back = entry.kind().adds() ? State.ADDED : State.SEEN;
          everRemoved.computeIfPresent(
              hash, (same, before) -> before == State.ADDED ? before : back);
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
        : Arrays.stream(distinct).filter(hash -> everRemoved.get(hash) != State.GONE).toArray();
  }

  /**
   * Returns the hashes that are held and that no entry shows as answered "new", ascending and
   * distinct. None if that does not matter.
   */
  long[] neverAdded() {
    if (added == null) {
      return new long[0];
    }
    Arrays.sort(added, 0, addedSize);
    return Arrays.stream(held())
        .filter(
            hash ->
                everRemoved.containsKey(hash)
                    ? everRemoved.get(hash) == State.SEEN
                    : Arrays.binarySearch(added, 0, addedSize, hash) < 0)
        .toArray();
  }

  /** Returns the hashes that were removed by any of the entries. */
  long[] everRemoved() {
    return everRemoved.keySet().stream().mapToLong(Long::longValue).toArray();
  }

  /** Returns the hashes that are gone, ascending. */
  long[] gone() {
    return everRemoved.entrySet().stream()
        .filter(each -> each.getValue() == State.GONE)
        .mapToLong(Map.Entry::getKey)
        .sorted()
        .toArray();
  }
}
