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
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The hashes of all keys that were added to a filter before the generation that is being filled
 * began: those in its blocks, then those in its journal. Nothing is moved from here to there
 * meanwhile. Some come twice.
 */
public final class RetainedHashes implements HashSource {

  @Override
  public String description() {
    return "the journal";
  }

  @Override
  public void requireFits(FilterRecord filter) {
    if (!filter.retainHashes()) {
      throw new InvalidParameterException(
          ("Filter %s was not reserved with retained hashes, so its journal does not have all"
                  + " keys: trimmed keys are gone, and keys that were answered \"seen\" by mistake were"
                  + " never there. Give another source that has all keys.")
              .formatted(filter.name()));
    }
  }

  @Override
  public boolean areRetained() {
    return true;
  }

  @Override
  public LongStream open(FilterDirectory directory, FilterRecord filter) {
    GenerationRecord target = filter.set().target();
    if (target == null) {
      throw new ReplacementException("Filter " + filter.name() + " is not being replaced.");
    }
    // A process that moves hashes now began before the generation; this lock waits until it is
    // done.
    directory.askPatiently(tx -> FoldRows.lock(tx, filter.id()));
    Function<@Nullable Long, List<HashBlock>> blocksAfter =
        first -> directory.askPatiently(tx -> HashBlocks.page(tx, filter, first));
    // Each page is checked as a chain, so no entry is left out, whatever happened to earlier ones.
    Function<Long, List<JournalEntry>> entriesAfter =
        seq ->
            directory.askPatiently(
                tx ->
                    Journal.next(
                        tx, filter, JournalChain.after(filter.name(), seq), target.sinceSeq()));
    Stream<HashBlock> moved = pages(blocksAfter.apply(null), blocksAfter, HashBlock::first);
    long firstSeq = directory.askPatiently(tx -> Journal.firstSeq(tx, filter.id())).orElse(1L);
    Stream<JournalEntry> held =
        pages(entriesAfter.apply(firstSeq - 1), entriesAfter, JournalEntry::seq);
    LongStream all =
        LongStream.concat(
            moved.flatMapToLong(block -> LongStream.of(block.hashes())),
            held.flatMapToLong(entry -> LongStream.of(entry.hashes())));
    if (!filter.removable()) {
      return all;
    }
    // They may still be in the blocks.
    GoneHashes gone = new GoneHashes();
    pages(entriesAfter.apply(firstSeq - 1), entriesAfter, JournalEntry::seq).forEach(gone::take);
    long[] removed = gone.ascending();
    return all.filter(hash -> Arrays.binarySearch(removed, hash) < 0);
  }

  private static <T> Stream<T> pages(
      List<T> first, Function<Long, List<T>> pageAfter, Function<T, Long> place) {
    return Stream.iterate(
            first,
            page -> !page.isEmpty(),
            page -> pageAfter.apply(place.apply(page.get(page.size() - 1))))
        .flatMap(List::stream);
  }
}
