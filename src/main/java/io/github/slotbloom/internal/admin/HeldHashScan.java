package io.github.slotbloom.internal.admin;

import io.github.slotbloom.internal.snapshot.HashSink;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import io.github.slotbloom.internal.store.journal.HashBlock;
import io.github.slotbloom.internal.store.journal.HashBlocks;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.LongStream;

/**
 * Reads the hashes that a filter holds that retains them, without those that are removed.
 *
 * <p>A removed hash stays in its block until its removal leaves the journal. After the filter was
 * built anew such a hash is not among the removed ones anymore, but the journal still tells.
 */
final class HeldHashScan {

  private static final long[] NO_HASHES = {};

  private final FilterDirectory directory;
  private final FilterRecord filter;
  private final long[] removed;

  /** The newest entry to read. */
  private final long last;

  /**
   * @param removed the removed hashes, ascending
   */
  HeldHashScan(FilterDirectory directory, FilterRecord filter, long[] removed) {
    this.directory = directory;
    this.filter = filter;
    this.removed = removed;
    this.last = filter.head().lastSeq();
  }

  /**
   * Reads the hashes in the journal, then those in blocks, to which they are moved. Some come
   * twice.
   */
  void read(HashSink sink) throws IOException {
    long[] before = removedBeforeGenerations();
    List<JournalEntry> entries = entriesAfter(0);
    while (!entries.isEmpty()) {
      // Most have one hash alone where keys are added one by one.
      passOn(
          entries.stream()
              .filter(entry -> entry.kind() != JournalEntry.Kind.REMOVE)
              .flatMapToLong(entry -> LongStream.of(entry.hashes())),
          before,
          sink);
      entries = entriesAfter(lastOf(entries));
    }
    List<HashBlock> page = directory.askPatiently(tx -> HashBlocks.page(tx, filter, null));
    while (!page.isEmpty()) {
      for (HashBlock block : page) {
        passOn(LongStream.of(block.hashes()), before, sink);
      }
      long after = page.get(page.size() - 1).first();
      page = directory.askPatiently(tx -> HashBlocks.page(tx, filter, after));
    }
  }

  private void passOn(LongStream hashes, long[] before, HashSink sink) throws IOException {
    long[] held =
        hashes.filter(hash -> !isAmong(removed, hash) && !isAmong(before, hash)).toArray();
    if (held.length > 0) {
      sink.accept(held);
    }
  }

  private static boolean isAmong(long[] ascending, long hash) {
    return ascending.length > 0 && Arrays.binarySearch(ascending, hash) >= 0;
  }

  /**
   * Returns the hashes, ascending, that were removed before the generations began and are not back.
   */
  private long[] removedBeforeGenerations() {
    long begun = filter.set().removedAfter();
    if (!filter.removable() || begun == 0) {
      return NO_HASHES;
    }
    while (true) {
      GoneHashes gone = new GoneHashes();
      Optional<Long> oldest = oldestEntry();
      forEachEntry(
          entry -> {
            if (entry.kind() != JournalEntry.Kind.REMOVE || entry.seq() <= begun) {
              gone.take(entry);
            }
          });
      // Had entries left the journal meanwhile, one that brought a hash back might be among them.
      if (oldestEntry().equals(oldest)) {
        return gone.ascending();
      }
    }
  }

  private Optional<Long> oldestEntry() {
    return directory.askPatiently(tx -> Journal.firstSeq(tx, filter.id()));
  }

  private void forEachEntry(Consumer<JournalEntry> sink) {
    List<JournalEntry> entries = entriesAfter(0);
    while (!entries.isEmpty()) {
      entries.forEach(sink);
      entries = entriesAfter(lastOf(entries));
    }
  }

  private List<JournalEntry> entriesAfter(long seq) {
    return directory.askPatiently(tx -> Journal.held(tx, filter, seq, last));
  }

  private static long lastOf(List<JournalEntry> entries) {
    return entries.get(entries.size() - 1).seq();
  }
}
