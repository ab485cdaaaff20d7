package io.github.slotbloom.internal.admin;

import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.ReplacementException;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import io.github.slotbloom.internal.store.catalog.GenerationRecord;
import io.github.slotbloom.internal.store.journal.FoldRows;
import io.github.slotbloom.internal.store.journal.HashBlock;
import io.github.slotbloom.internal.store.journal.HashBlocks;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.journal.JournalChain;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The hashes of all keys that were added to a filter before the generation that is being filled
 * began: those in its blocks, then those in its journal. Nothing is moved from here to there
 * meanwhile. Some come twice.
 */
public final class RetainedHashes {

  private final Directory directory;
  private final FilterRecord filter;
  private final long last;

  /**
   * @param filter with a generation that is being filled
   * @throws ReplacementException if it has none
   */
  public RetainedHashes(Directory directory, FilterRecord filter) {
    GenerationRecord target = filter.set().target();
    if (target == null) {
      throw new ReplacementException("Filter " + filter.name() + " is not being replaced.");
    }
    this.directory = directory;
    this.filter = filter;
    this.last = target.sinceSeq();
  }

  public static void requireRetaining(FilterRecord filter) {
    if (!filter.retainHashes()) {
      throw new InvalidParameterException(
          "Filter "
              + filter.name()
              + " was not reserved with retained hashes, so its journal does not have all keys:"
              + " trimmed ones are gone, and those that only seemed to be in it were never there."
              + " Give their source.");
    }
  }

  public LongStream stream() {
    // A process that moves hashes now began before the generation; this lock waits until it is
    // done.
    directory.askPatiently(tx -> FoldRows.lock(tx, filter.id()));
    return LongStream.concat(
        Stream.iterate(blocksAfter(null), page -> !page.isEmpty(), this::blocksAfter)
            .flatMap(List::stream)
            .flatMapToLong(block -> LongStream.of(block.hashes())),
        Stream.iterate(entriesAfter(firstSeq() - 1), page -> !page.isEmpty(), this::entriesAfter)
            .flatMap(List::stream)
            .flatMapToLong(entry -> LongStream.of(entry.hashes())));
  }

  private List<HashBlock> blocksAfter(@Nullable List<HashBlock> page) {
    Long after = page == null ? null : page.get(page.size() - 1).first();
    return directory.askPatiently(tx -> HashBlocks.page(tx, filter, after));
  }

  private long firstSeq() {
    return directory.askPatiently(tx -> Journal.firstSeq(tx, filter.id())).orElse(1L);
  }

  private List<JournalEntry> entriesAfter(List<JournalEntry> page) {
    return entriesAfter(page.get(page.size() - 1).seq());
  }

  /**
   * Each page is checked as a chain, so no entry is left out, whatever happened to earlier ones.
   */
  private List<JournalEntry> entriesAfter(long seq) {
    return directory.askPatiently(
        tx -> Journal.next(tx, filter, JournalChain.after(filter.name(), seq), last));
  }
}
