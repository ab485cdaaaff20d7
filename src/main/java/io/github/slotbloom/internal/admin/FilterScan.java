package io.github.slotbloom.internal.admin;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.fold.Folder;
import io.github.slotbloom.internal.snapshot.SnapshotSink;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import io.github.slotbloom.internal.store.catalog.FilterState;
import io.github.slotbloom.internal.store.catalog.GenerationRecord;
import io.github.slotbloom.internal.store.journal.FoldRows;
import io.github.slotbloom.internal.store.journal.FoldState;
import io.github.slotbloom.internal.store.journal.HashBlock;
import io.github.slotbloom.internal.store.journal.HashBlocks;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.slots.SlotRows;
import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * Reads all that a filter holds out of its tables, part by part, while others use it.
 *
 * <p>Everything that was added before is folded first, so it is in the slots. They need no common
 * snapshot, since bits are only ever set: what is read holds all keys that were added before, and
 * some bits of keys that were added since. Not thread-safe.
 */
record FilterScan(FilterDirectory directory, FilterRecord filter, long foldedSeq) {

  /** Slots that are read at once; whole blocks. */
  static final int RANGE = 1 << 14;

  /**
   * Begins with what the filter holds now.
   *
   * @throws FilterUnavailableException if it is being cleared
   */
  static FilterScan begin(FilterDirectory directory, FilterEngines engines, FilterName name) {
    while (true) {
      FilterRecord filter = directory.require(name);
      if (filter.head().state() != FilterState.ACTIVE) {
        throw new FilterUnavailableException(
            ("Filter %s is being cleared or dropped, so it cannot be read now. Try again once"
                    + " that is over.")
                .formatted(name),
            null);
      }
      new Folder(engines.context(filter)).foldAll(FilterDirectory.STEP_TIMEOUT);
      Optional<FoldState> folded = directory.ask(tx -> FoldRows.lock(tx, filter.id()));
      if (folded.isPresent() && folded.get().epoch() == filter.head().epoch()) {
        return new FilterScan(directory, filter, folded.get().foldedSeq());
      }
    }
  }

  /** Reads everything, and finds that it was what it should be. */
  void readAll(SnapshotSink sink) throws IOException {
    readSlots(sink);
    if (filter.retainHashes()) {
      readHashes(sink);
    }
    requireUnchanged();
  }

  /** Reads the slots that have a row, of the generations that answer. */
  void readSlots(SnapshotSink sink) throws IOException {
    long[] bits = new long[RANGE];
    for (int place = 0; place < filter.generations().size(); place++) {
      GenerationRecord generation = filter.generations().get(place);
      long first = 0;
      while (first < generation.parameters().slots()) {
        BitSet rows = read(generation, first, bits);
        for (int i = rows.nextSetBit(0); i >= 0; i = rows.nextSetBit(i + 1)) {
          sink.slot(place, first + i, bits[i]);
        }
        first = rows.isEmpty() ? nextRange(generation, first) : first + RANGE;
      }
    }
  }

  /**
   * Reads one range of slots.
   *
   * @param first a multiple of {@link #RANGE}
   * @param bits gets those of each slot, from index 0 on; none where there is no row
   * @return which of them have a row
   */
  BitSet read(GenerationRecord generation, long first, long[] bits) {
    long end = Math.min(first + RANGE, generation.parameters().slots());
    BitSet rows = new BitSet(RANGE);
    try {
      directory.askPatiently(
          tx -> {
            // It may be tried again.
            rows.clear();
            Arrays.fill(bits, 0);
            new SlotRows(generation)
                .scan(
                    tx,
                    first,
                    end,
                    (slot, mask) -> {
                      rows.set((int) (slot - first));
                      bits[(int) (slot - first)] = mask;
                    });
            return true;
          });
    } catch (SchemaException e) {
      // The table of a generation that was replaced meanwhile is gone by now.
      requireUnchanged();
      throw e;
    }
    return rows;
  }

  /** The next range in which there is a row, behind one in which there is none. */
  long nextRange(GenerationRecord generation, long first) {
    Optional<Long> next =
        directory.askPatiently(tx -> new SlotRows(generation).firstRow(tx, first + RANGE));
    return next.isPresent() ? next.get() - next.get() % RANGE : generation.parameters().slots();
  }

  /**
   * Reads the hashes of all keys: first those in the journal, then those in blocks, to which they
   * are moved. Some come twice.
   */
  void readHashes(SnapshotSink sink) throws IOException {
    long last = filter.head().lastSeq();
    List<JournalEntry> entries = entriesAfter(0, last);
    while (!entries.isEmpty()) {
      // Most have one hash alone where keys are added one by one.
      long[] hashes =
          entries.stream().flatMapToLong(entry -> LongStream.of(entry.hashes())).toArray();
      if (hashes.length > 0) {
        sink.hashes(hashes);
      }
      entries = entriesAfter(entries.get(entries.size() - 1).seq(), last);
    }
    List<HashBlock> page = directory.askPatiently(tx -> HashBlocks.page(tx, filter, null));
    while (!page.isEmpty()) {
      for (HashBlock block : page) {
        sink.hashes(block.hashes());
      }
      long after = page.get(page.size() - 1).first();
      page = directory.askPatiently(tx -> HashBlocks.page(tx, filter, after));
    }
  }

  private List<JournalEntry> entriesAfter(long seq, long last) {
    return directory.askPatiently(tx -> Journal.held(tx, filter, seq, last));
  }

  /**
   * Finds that what was read is what was there to be read.
   *
   * @throws FilterUnavailableException if the filter was cleared, replaced or dropped meanwhile, or
   *     a failover lost what was folded
   */
  void requireUnchanged() {
    boolean unchanged =
        directory.askPatiently(
            tx ->
                Catalog.find(tx, filter.id())
                    .filter(filter::isSameFilterAs)
                    .filter(this::isAsBefore)
                    .flatMap(now -> FoldRows.lock(tx, filter.id()))
                    .filter(folded -> folded.foldedSeq() >= foldedSeq)
                    .isPresent());
    if (!unchanged) {
      throw new FilterUnavailableException(
          ("Filter %s was cleared, replaced or dropped, or its database went back to an"
                  + " earlier state, while it was read. Try again.")
              .formatted(filter.name()),
          null);
    }
  }

  /** A generation that began since has none of the keys that were added before. */
  private boolean isAsBefore(FilterRecord now) {
    return now.head().state() == FilterState.ACTIVE
        && now.head().epoch() == filter.head().epoch()
        && filter.generations().stream()
            .allMatch(before -> now.generations().stream().anyMatch(before::isSameAs));
  }
}
