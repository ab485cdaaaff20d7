package io.github.slotbloom.internal.mirror;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.MirrorTooLargeException;
import io.github.slotbloom.internal.background.Background;
import io.github.slotbloom.internal.background.NotStartedException;
import io.github.slotbloom.internal.bits.SlotMaskConsumer;
import io.github.slotbloom.internal.store.filter.Cursor;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.journal.JournalChain;
import io.github.slotbloom.internal.store.journal.Tail;
import io.github.slotbloom.internal.store.journal.TailReader;
import io.github.slotbloom.internal.store.journal.UnfoldedFilter;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import io.github.slotbloom.internal.store.session.KeptSession;
import io.github.slotbloom.internal.store.slots.RemovedRows;
import io.github.slotbloom.internal.store.slots.SlotRows;
import io.github.slotbloom.internal.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a whole filter into memory.
 *
 * <p>The tail is read before the slots, so an entry is either in the slots by then or in the tail.
 * The slot ranges need no common snapshot, because bits are only ever set in a table.
 */
final class MirrorLoader {

  private static final Logger log = LoggerFactory.getLogger(MirrorLoader.class);

  private static final long SLOTS_PER_RANGE = 1 << 14;
  private static final int PARALLEL_RANGES = 4;

  private final Database database;
  private final Background background;
  private final TimeSource time;

  MirrorLoader(Database database, Background background, TimeSource time) {
    this.database = database;
    this.background = background;
    this.time = time;
  }

  /**
   * Loads the filter as it is at some moment during the call.
   *
   * @param opened the filter as it was when it was opened
   * @throws FilterNotReady if the filter is gone, or expired
   * @throws io.github.slotbloom.error.FilterNotFoundException if the filter was renamed
   * @throws MirrorTooLargeException if memory cannot hold the filter
   * @throws CorruptFilterException if the tables contradict each other, or contradict the opened
   *     filter
   */
  Image load(FilterRecord opened) {
    while (true) {
      UnfoldedFilter read = ready(opened);
      try {
        Optional<Image> image = load(read.filter(), read.tail());
        if (image.isPresent()) {
          return image.get();
        }
      } catch (DatabaseFailure e) {
        // A generation that was replaced in the meantime has lost its table.
        if (!e.tableMissing() || ready(opened).filter().knows(read.tail().head())) {
          throw e;
        }
      }
    }
  }

  /** Loads the filter, or returns empty if the filter has changed in the meantime. */
  private Optional<Image> load(FilterRecord filter, Tail tail) {
    Image image =
        new Image(
            filter.name(),
            filter.retainHashes(),
            filter.removable(),
            filter.renews(),
            filter.manifest(),
            start(tail));
    readTables(filter, tail, image);
    if (!image.apply(tail.entries())) {
      throw broken(filter.name(), image);
    }
    return followToEnd(filter, tail.foldedSeq(), image) ? Optional.of(image) : Optional.empty();
  }

  private void readTables(FilterRecord filter, Tail tail, Image image) {
    KeptSession session = database.keptSession(time::nanoTime);
    try {
      List<GenerationRecord> generations = filter.manifest().all();
      for (int i = 0; i < generations.size(); i++) {
        readSlots(generations.get(i), image.arrays().sink(i), session);
      }
      readRemoved(filter, image, tail.foldedSeq(), session);
    } finally {
      session.close();
    }
  }

  private UnfoldedFilter ready(FilterRecord opened) {
    UnfoldedFilter read =
        database
            .read(tx -> UnfoldedFilter.read(tx, opened))
            .orElseThrow(() -> FilterNotReady.gone(opened));
    FilterNotReady.requireActive(opened.name(), read.tail().head());
    opened.requireUnchanged(read.filter());
    return read;
  }

  private static Cursor start(Tail unfolded) {
    return unfolded.entries().isEmpty()
        ? unfolded.head().end()
        : new Cursor(unfolded.after(), unfolded.entries().get(0).previousToken());
  }

  private static CorruptFilterException broken(FilterName name, Image image) {
    return JournalChain.broken(
        name, "the journal after entry " + image.cursor().seq() + " does not continue it");
  }

  /**
   * Reads the removed hashes. Those of later entries come with the journal: a failover might lose
   * such an entry after this.
   */
  private static void readRemoved(
      FilterRecord filter, Image image, long foldedSeq, KeptSession session) {
    if (!filter.removable()) {
      return;
    }
    RemovedRows rows = new RemovedRows(filter);
    RemovedRows.Sink sink =
        (hash, seq) -> {
          if (seq <= foldedSeq) {
            image.arrays().addRemoved(hash, seq);
          }
        };
    Long last = null;
    do {
      Long after = last;
      last =
          session.readPrepared(tx -> Optional.ofNullable(rows.page(tx, after, sink))).orElse(null);
    } while (last != null);
  }

  /**
   * Reads the slots of a generation in several threads.
   *
   * @param session that of this thread
   */
  private void readSlots(GenerationRecord generation, SlotMaskConsumer sink, KeptSession session) {
    long slots = generation.parameters().slots();
    AtomicLong next = new AtomicLong();
    Consumer<KeptSession> readRanges =
        own -> {
          SlotRows rows = new SlotRows(generation);
          long from = next.getAndAdd(SLOTS_PER_RANGE);
          while (from < slots) {
            long first = from;
            long end = Math.min(slots, first + SLOTS_PER_RANGE);
            own.readPrepared(
                tx -> {
                  if (first == 0) {
                    // Reading may take long, and would be tried again.
                    rows.scanWithinBounds(tx, end, sink);
                  } else {
                    rows.scan(tx, first, end, sink);
                  }
                  return end;
                });
            from = next.getAndAdd(SLOTS_PER_RANGE);
          }
        };
    long ranges = (slots + SLOTS_PER_RANGE - 1) / SLOTS_PER_RANGE;
    List<CompletableFuture<Void>> readers = new ArrayList<>();
    for (int i = 1; i < Math.min(PARALLEL_RANGES, ranges); i++) {
      readers.add(
          background.run(
              () -> {
                KeptSession own = database.keptSession(time::nanoTime);
                readRanges.accept(own);
                own.close();
              }));
    }
    try {
      readRanges.accept(session);
      if (!readers.isEmpty()) {
        // They may wait for its connection.
        session.close();
      }
      readers.forEach(MirrorLoader::join);
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    } finally {
      next.set(slots);
    }
  }

  /** Waits for a reader. If no thread was available for it, the other readers read its ranges. */
  private static void join(CompletableFuture<Void> reader) {
    try {
      reader.join();
    } catch (CompletionException e) {
      if (!(e.getCause() instanceof NotStartedException)) {
        throw e;
      }
      log.debug("loading a mirror with fewer threads", e);
    }
  }

  /**
   * Applies the journal from the image to its end. Returns false if the filter was cleared in the
   * meantime, or if a failover lost folded entries. In the second case the slots may lack those
   * entries, and the entries that were read begin after them.
   *
   * @param foldedSeq entries up to this one were not read
   */
  private boolean followToEnd(FilterRecord filter, long foldedSeq, Image image) {
    while (true) {
      Tail tail =
          database
              .read(tx -> TailReader.tail(tx, filter, image.cursor().seq()))
              .orElseThrow(() -> FilterNotReady.gone(filter));
      if (tail.foldedSeq() < foldedSeq || tail.entries().stream().anyMatch(image::isClearedBy)) {
        return false;
      }
      if (!image.apply(tail.entries())) {
        throw broken(filter.name(), image);
      }
      if (image.cursor().seq() >= tail.head().lastSeq()) {
        return true;
      }
      if (tail.entries().isEmpty()) {
        throw broken(filter.name(), image);
      }
    }
  }
}
