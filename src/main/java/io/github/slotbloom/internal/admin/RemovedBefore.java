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
import java.util.function.Predicate;
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
   * Returns how many keys of before the source may lack: those that were removed before or since.
   * Without retained hashes the count of the filter includes those of before.
   */
  long mayLack() {
    RemovalRecord removal = filter.removal();
    if (removal == null) {
      return 0;
    }
    long since = countOfBefore(JournalEntry.Kind::decidesRemoval);
    return filter.head().countsDown() ? since : since + removedBefore(removal);
  }

  private long removedBefore(RemovalRecord removal) {
    RemovedRows rows = new RemovedRows(removal);
    return directory.askPatiently(
        tx -> rows.countAfter(tx, filter.set().removedAfter()) - rows.countAfter(tx, begun));
  }

  /**
   * Returns how many keys were added since that had been removed, and were not new since. Zero if
   * removed keys are not counted anyway.
   */
  long returned() {
    return filter.removable() && !filter.head().countsDown()
        ? countOfBefore(JournalEntry.Kind::bringsBack)
        : 0;
  }

  /** Counts the keys in entries since, each once, without those that were new since. */
  private long countOfBefore(Predicate<Kind> wanted) {
    Set<Long> added = new HashSet<>();
    Set<Long> found = new HashSet<>();
    List<JournalEntry> page = after(begun);
    while (!page.isEmpty()) {
      for (JournalEntry entry : page) {
        if (entry.kind() == Kind.ADD) {
          LongStream.of(entry.hashes()).forEach(added::add);
        } else if (wanted.test(entry.kind())) {
          LongStream.of(entry.hashes()).filter(hash -> !added.contains(hash)).forEach(found::add);
        }
      }
      page = after(page.get(page.size() - 1).seq());
    }
    return found.size();
  }

  private List<JournalEntry> after(long seq) {
    return directory.askPatiently(
        tx -> Journal.next(tx, filter, JournalChain.after(filter.name(), seq), Long.MAX_VALUE));
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
