package io.github.slotbloom.internal.transfer;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.snapshot.HashSink;
import io.github.slotbloom.internal.snapshot.SlotSink;
import io.github.slotbloom.internal.snapshot.SnapshotSink;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.filter.Cursor;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.FilterState;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.journal.FoldRows;
import io.github.slotbloom.internal.store.journal.FoldState;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.store.slots.RemovedRows;
import io.github.slotbloom.internal.store.slots.RemovedRows.Rows;
import io.github.slotbloom.internal.store.slots.SlotRows;
import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Optional;
import java.util.PrimitiveIterator;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads all that a filter holds out of its tables, part by part, while others use it.
 *
 * <p>Everything that was added or removed before is folded first, so it is in the slots and in the
 * table of removed hashes. They need no common snapshot, since bits are only ever set: what is read
 * holds all keys that were added before, and some bits of keys that were added since. A key that is
 * removed or comes back meanwhile is read as it was at some moment. Not thread-safe.
 */
record FilterScan(FilterDirectory directory, FilterRecord filter, long foldedSeq) {

  /** Slots that are read at once; whole blocks. */
  static final int RANGE = 1 << 14;

  /** Hashes that are passed on at once. */
  private static final int HASHES = 1 << 13;

  /**
   * Begins with what the filter holds now.
   *
   * @throws FilterUnavailableException if it is being dropped
   */
  static FilterScan begin(FilterDirectory directory, FilterEngines engines, FilterName name) {
    while (true) {
      FilterRecord filter = active(directory, name);
      engines.folder(filter).foldAll();
      Optional<FoldState> folded = directory.ask(tx -> FoldRows.lock(tx, filter.id()));
      if (folded.isPresent() && directory.require(filter).knows(filter.head())) {
        return new FilterScan(directory, filter, folded.get().foldedSeq());
      }
    }
  }

  static FilterRecord active(FilterDirectory directory, FilterName name) {
    FilterRecord filter = directory.require(name);
    if (filter.head().state() != FilterState.ACTIVE) {
      throw new FilterUnavailableException(
          "Filter %s is being dropped, so it cannot be read.".formatted(name), null);
    }
    return filter;
  }

  /**
   * Reads everything, and finds that it was what it should be.
   *
   * @return the newest journal entry that it can hold something of
   */
  Cursor readAll(SnapshotSink sink) throws IOException {
    // A key that is removed later has its bits in the slots that are read afterwards, and one that
    // was removed before and comes back later is missing, as it was.
    LongStream.Builder removed = LongStream.builder();
    passOn(
        removedHashes(),
        hashes -> {
          sink.removed(hashes);
          if (filter.retainHashes()) {
            LongStream.of(hashes).forEach(removed);
          }
        });
    readSlots(sink);
    if (filter.retainHashes()) {
      readHashes(removed.build().toArray(), sink::hashes);
    }
    return requireUnchanged();
  }

  private static void passOn(LongStream hashes, HashSink sink) throws IOException {
    PrimitiveIterator.OfLong all = hashes.iterator();
    long[] some = HashSource.nextBatch(all, HASHES);
    while (some.length > 0) {
      sink.accept(some);
      some = HashSource.nextBatch(all, HASHES);
    }
  }

  /** Returns all removed hashes, ascending, each as it is at some moment of this call. */
  long[] removed() {
    return removedHashes().toArray();
  }

  private LongStream removedHashes() {
    if (!filter.removable()) {
      return LongStream.empty();
    }
    RemovedRows table = new RemovedRows(filter);
    return Stream.iterate(
            removedAfter(table, null),
            page -> !page.hashes.isEmpty(),
            page -> removedAfter(table, page.hashes.get(page.hashes.size() - 1)))
        .flatMapToLong(
            page ->
                IntStream.range(0, page.hashes.size())
                    .filter(i -> page.seqs.get(i) > filter.manifest().removedAfter())
                    .mapToLong(page.hashes::get));
  }

  private Rows removedAfter(RemovedRows table, @Nullable Long hash) {
    return read(
        tx -> {
          Rows page = new Rows();
          table.page(tx, hash, page);
          return page;
        });
  }

  /** Reads the slots that have a row, of the active generations. */
  void readSlots(SlotSink sink) throws IOException {
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
    return read(
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
          return rows;
        });
  }

  private <T> T read(Function<Tx, T> look) {
    try {
      return directory.askPatiently(look);
    } catch (SchemaException e) {
      // The table of a generation that was replaced meanwhile is gone by now.
      requireUnchanged();
      throw e;
    }
  }

  /** The next range in which there is a row, behind one in which there is none. */
  long nextRange(GenerationRecord generation, long first) {
    Optional<Long> next = read(tx -> new SlotRows(generation).firstRow(tx, first + RANGE));
    return next.isPresent() ? next.get() - next.get() % RANGE : generation.parameters().slots();
  }

  /**
   * Reads the hashes of all keys that the filter holds. Some come twice.
   *
   * @param removed the removed hashes, ascending
   */
  void readHashes(long[] removed, HashSink sink) throws IOException {
    passOn(
        new HeldHashScan(directory, filter, filter.head().lastSeq())
            .stream().filter(hash -> Arrays.binarySearch(removed, hash) < 0),
        sink);
  }

  /**
   * Finds that what was read is what was there to be read.
   *
   * @return the end of the journal by now
   * @throws FilterUnavailableException if the filter was cleared, replaced or dropped meanwhile, or
   *     a failover lost what was folded
   * @throws io.github.slotbloom.error.FilterNotFoundException if it was renamed meanwhile
   */
  Cursor requireUnchanged() {
    Optional<FilterRecord> unchanged =
        directory.askPatiently(
            tx ->
                Catalog.find(tx, filter)
                    .filter(this::isAsBefore)
                    .filter(
                        now -> FoldRows.lock(tx, filter.id()).stream().anyMatch(this::isAfter)));
    return unchanged.orElseThrow(() -> changed(filter)).head().end();
  }

  static FilterUnavailableException changed(FilterRecord filter) {
    return new FilterUnavailableException(
        ("Filter %s was cleared, replaced or dropped, or its database went back to an"
                + " earlier state, while it was read. Try again.")
            .formatted(filter.name()),
        null);
  }

  private boolean isAfter(FoldState folded) {
    return folded.foldedSeq() >= foldedSeq;
  }

  /** A generation that began since has none of the keys that were added before. */
  private boolean isAsBefore(FilterRecord now) {
    return now.head().state() == FilterState.ACTIVE
        && filter.generations().stream()
            .allMatch(before -> now.generations().stream().anyMatch(before::isSameAs));
  }
}
