package io.github.slotbloom.reliability;

import static java.util.stream.Collectors.toSet;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;

/**
 * What a journal says of each key: when it was new, and when it was removed. Of one that left the
 * journal, that it is there. Immutable.
 */
final class JournaledKeys {

  private final Map<Long, KeyEntries> byHash = new HashMap<>();
  private final List<String> violations = new ArrayList<>();
  private final Map<Long, Integer> countedAlways = new HashMap<>();
  private final boolean removalsCount;

  /**
   * @param left hashes that left the journal, and were not removed by then; some may be in it still
   * @param removalsCount whether the filter knows which removed keys it had counted; otherwise
   *     these stay counted, and are not counted again when they return
   */
  JournaledKeys(List<JournalRow> journal, Set<Long> left, boolean removalsCount) {
    this.removalsCount = removalsCount;
    Set<Long> there =
        journal.stream()
            .filter(row -> row.adds() || row.removes())
            .flatMapToLong(row -> LongStream.of(row.hashes()))
            .boxed()
            .collect(toSet());
    left.stream()
        .filter(hash -> !there.contains(hash))
        .forEach(hash -> byHash.put(hash, KeyEntries.NONE.added()));
    for (JournalRow row : journal) {
      if (row.adds() || row.removes()) {
        for (long hash : row.hashes()) {
          take(row, hash);
        }
      }
    }
  }

  private void take(JournalRow row, long hash) {
    KeyEntries before = of(hash);
    if (row.adds() && before.isThere()) {
      violations.add("the hash " + Long.toHexString(hash) + " is in the journal twice");
    }
    if (row.removes() && before.newest() == KeyState.REMOVED) {
      violations.add("the hash " + Long.toHexString(hash) + " is removed twice");
    }
    byHash.put(hash, row.adds() ? before.added() : before.removed());
    if (row.countsAlways()) {
      countedAlways.merge(hash, 1, Integer::sum);
    }
  }

  KeyEntries of(long hash) {
    return byHash.getOrDefault(hash, KeyEntries.NONE);
  }

  /** How often the filter should count a key. */
  int timesCounted(long hash) {
    if (removalsCount) {
      return of(hash).isThere() ? 1 : 0;
    }
    return countedAlways.getOrDefault(hash, 0);
  }

  /** How many keys the filter should count. */
  long counted() {
    return byHash.keySet().stream().mapToLong(this::timesCounted).sum();
  }

  /** Keys that were new or removed twice in a row, a sentence each. */
  List<String> violations() {
    return violations;
  }
}
