package io.github.slotbloom.internal.transfer;

import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.journal.HashBlock;
import io.github.slotbloom.internal.store.journal.HashBlocks;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.JournalEntry.Kind;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the hashes that a filter retains, without those that were removed before its generations
 * began: the others that are removed are in a table.
 *
 * <p>A removed hash stays in its block until its removal leaves the journal. After the filter was
 * rebuilt such a hash is not in that table anymore, but the journal still tells.
 */
public final class HeldHashScan {

  private final FilterDirectory directory;
  private final FilterRecord filter;
  private final long last;

  /**
   * @param last the newest entry to read
   */
  public HeldHashScan(FilterDirectory directory, FilterRecord filter, long last) {
    this.directory = directory;
    this.filter = filter;
    this.last = last;
  }

  /**
   * Returns the hashes in the journal, then those in blocks, to which they are moved. Some come
   * twice.
   */
  public LongStream stream() {
    long[] removed = removedBeforeGenerations();
    LongStream inJournal =
        entries()
            .filter(entry -> entry.kind() != Kind.REMOVE)
            .flatMapToLong(entry -> LongStream.of(entry.hashes()));
    LongStream inBlocks = blocks().flatMapToLong(block -> LongStream.of(block.hashes()));
    LongStream all = LongStream.concat(inJournal, inBlocks);
    return removed.length == 0 ? all : all.filter(hash -> Arrays.binarySearch(removed, hash) < 0);
  }

  /**
   * Returns the hashes, ascending, that were removed before the generations began and are not back.
   */
  private long[] removedBeforeGenerations() {
    long begun = filter.manifest().removedAfter();
    Set<Long> gone = new HashSet<>();
    if (filter.removable() && begun > 0) {
      Optional<Long> oldest;
      do {
        gone.clear();
        oldest = oldestEntry();
        entries()
            .forEach(
                entry -> {
                  boolean removes = entry.kind() == Kind.REMOVE;
                  if (!removes) {
                    LongStream.of(entry.hashes()).forEach(gone::remove);
                  } else if (entry.seq() <= begun) {
                    LongStream.of(entry.hashes()).forEach(gone::add);
                  }
                });
        // Had entries left the journal meanwhile, one that brought a hash back might be among them.
      } while (!oldestEntry().equals(oldest));
    }
    return gone.stream().mapToLong(hash -> hash).sorted().toArray();
  }

  private Optional<Long> oldestEntry() {
    return directory.askPatiently(tx -> Journal.firstSeq(tx, filter.id()));
  }

  private Stream<JournalEntry> entries() {
    long begins = filter.manifest().begins();
    return pages(
        before ->
            directory.askPatiently(
                tx -> Journal.held(tx, filter, before == null ? begins : before.seq(), last)));
  }

  private Stream<HashBlock> blocks() {
    return pages(
        before ->
            directory.askPatiently(
                tx -> HashBlocks.page(tx, filter, before == null ? null : before.first())));
  }

  /**
   * @param after returns what comes next after something, or first of all after null
   */
  private static <T> Stream<T> pages(Function<@Nullable T, List<T>> after) {
    return Stream.iterate(
            List.<T>of(), page -> after.apply(page.isEmpty() ? null : page.get(page.size() - 1)))
        .skip(1)
        .takeWhile(page -> !page.isEmpty())
        .flatMap(List::stream);
  }
}
