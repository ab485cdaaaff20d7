package io.github.slotbloom.internal.admin;

import io.github.slotbloom.internal.store.RemovedRows;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import io.github.slotbloom.internal.store.catalog.GenerationRecord;
import io.github.slotbloom.internal.store.catalog.RemovalRecord;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.journal.JournalChain;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.JournalEntry.Kind;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Knows the keys that were removed from a filter before its generations began to be replaced. The
 * generation that is being filled shall not get them, whatever the source holds. Not thread-safe.
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
    GenerationRecord target = Objects.requireNonNull(filter.set().target());
    this.begun = target.sinceSeq();
  }

  /** Returns the hashes that were not removed before. */
  long[] without(long[] hashes) {
    RemovalRecord removal = filter.removal();
    if (removal == null || hashes.length == 0) {
      return hashes;
    }
    Set<Long> removed = new HashSet<>();
    directory.askPatiently(
        tx -> {
          removed.clear();
          new RemovedRows(removal)
              .read(
                  tx,
                  hashes,
                  (hash, seq) -> {
                    if (seq > filter.set().removedAfter() && seq <= begun) {
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
    RemovalRecord removal = filter.removal();
    if (removal == null || filter.head().countsDown()) {
      return 0;
    }
    RemovedRows rows = new RemovedRows(removal);
    return directory.askPatiently(
        tx -> rows.countAfter(tx, filter.set().removedAfter()) - rows.countAfter(tx, begun));
  }

  /**
   * Returns how many keys of before were removed or brought back since. The entry that did so set
   * their bits in the generation that is being filled, whether or not the source has them.
   *
   * @param last the last entry to look at
   */
  long filledSince(long last) {
    if (!filter.removable()) {
      return 0;
    }
    Set<Long> added = new HashSet<>();
    Set<Long> filled = new HashSet<>();
    List<JournalEntry> page = since(begun, last);
    while (!page.isEmpty()) {
      for (JournalEntry entry : page) {
        if (entry.kind() == Kind.ADD) {
          LongStream.of(entry.hashes()).forEach(added::add);
        } else if (entry.kind().decidesRemoval()) {
          LongStream.of(entry.hashes()).filter(hash -> !added.contains(hash)).forEach(filled::add);
        }
      }
      page = since(page.get(page.size() - 1).seq(), last);
    }
    return filled.size();
  }

  private List<JournalEntry> since(long seq, long last) {
    return directory.askPatiently(
        tx -> Journal.next(tx, filter, JournalChain.after(filter.name(), seq), last));
  }

  /** Returns the hashes that the journal shows as removed at any time, ascending. */
  long[] everRemoved() {
    if (!filter.removable()) {
      return new long[0];
    }
    return Stream.iterate(
            removalsAfter(filter.set().removedAfter()),
            page -> !page.isEmpty(),
            page -> removalsAfter(page.get(page.size() - 1).seq()))
        .flatMap(List::stream)
        .flatMapToLong(entry -> LongStream.of(entry.hashes()))
        .sorted()
        .toArray();
  }

  private List<JournalEntry> removalsAfter(long seq) {
    return directory.askPatiently(tx -> Journal.ofKind(tx, filter, seq, Kind.REMOVE));
  }
}
