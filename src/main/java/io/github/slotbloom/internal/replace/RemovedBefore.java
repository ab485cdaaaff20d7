package io.github.slotbloom.internal.replace;

import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.slots.RemovedRows;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;

/**
 * Knows the keys that were removed from a filter before its generations began to be replaced. The
 * generation that is being filled must not get them, whatever the source holds. Not thread-safe.
 */
final class RemovedBefore {

  private final FilterDirectory directory;
  private final FilterRecord filter;
  private final long begun;

  /**
   * @param filter with a generation that is being filled; everything up to its beginning must be
   *     folded
   */
  RemovedBefore(FilterDirectory directory, FilterRecord filter) {
    this.directory = directory;
    this.filter = filter;
    GenerationRecord target = Objects.requireNonNull(filter.manifest().target());
    this.begun = target.sinceSeq();
  }

  /** Returns the hashes that were not removed before. */
  long[] without(long[] hashes) {
    if (!filter.removable() || hashes.length == 0) {
      return hashes;
    }
    Set<Long> removed = new HashSet<>();
    directory.askPatiently(
        tx -> {
          removed.clear();
          new RemovedRows(filter)
              .read(
                  tx,
                  hashes,
                  (hash, seq) -> {
                    if (seq > filter.manifest().removedAfter() && seq <= begun) {
                      removed.add(hash);
                    }
                  });
          return true;
        });
    return removed.isEmpty()
        ? hashes
        : Arrays.stream(hashes).filter(hash -> !removed.contains(hash)).toArray();
  }

  /**
   * Returns how many of the keys that the filter counted are removed, and so not to be filled. Zero
   * with retained hashes: removed keys are not counted then.
   */
  long counted() {
    if (!filter.removable() || filter.head().countsDown()) {
      return 0;
    }
    RemovedRows rows = new RemovedRows(filter);
    return directory.askPatiently(
        tx -> rows.countAfter(tx, filter.manifest().removedAfter()) - rows.countAfter(tx, begun));
  }
}
