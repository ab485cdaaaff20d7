package io.github.slotbloom.mirror;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.MirrorTooLargeException;
import io.github.slotbloom.store.Catalog;
import io.github.slotbloom.store.Cursor;
import io.github.slotbloom.store.Database;
import io.github.slotbloom.store.FilterRecord;
import io.github.slotbloom.store.FilterState;
import io.github.slotbloom.store.GenerationRecord;
import io.github.slotbloom.store.Journal;
import io.github.slotbloom.store.SlotRows;
import io.github.slotbloom.store.Tail;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Reads a whole filter into memory.
 *
 * <p>The tail is read before the slots, so an entry is either in the slots by then or in the tail.
 * The slot ranges need no common snapshot, since bits are only ever set within an epoch.
 */
final class MirrorLoader {

  private static final long SLOTS_PER_RANGE = 1 << 16;
  private static final int PARALLEL_RANGES = 4;

  private final Database database;
  private final Catalog catalog = new Catalog();
  private final Journal journal = new Journal();
  private final Executor executor;

  MirrorLoader(Database database, Executor executor) {
    this.database = database;
    this.executor = executor;
  }

  /**
   * Loads the filter as it is at some moment during the call.
   *
   * @throws FilterNotReady if it is gone, or being cleared
   * @throws MirrorTooLargeException if memory cannot hold it
   * @throws CorruptFilterException if the tables contradict each other
   */
  Image load(long filterId) {
    while (true) {
      FilterRecord filter = ready(filterId);
      Tail tail =
          database
              .read(tx -> journal.unfolded(tx, filterId))
              .orElseThrow(() -> FilterNotReady.gone(filter.name()));
      if (tail.head().epoch() == filter.head().epoch()) {
        Image image = allocate(filter, start(filter.name(), tail));
        for (int i = 0; i < filter.generations().size(); i++) {
          readSlots(filter.generations().get(i), image, i);
        }
        if (!image.apply(tail.entries())) {
          throw broken(filter.name());
        }
        if (followToEnd(filter, image)) {
          return image;
        }
      }
    }
  }

  private FilterRecord ready(long filterId) {
    FilterRecord filter =
        database
            .transact(tx -> catalog.find(tx, filterId))
            .orElseThrow(() -> FilterNotReady.gone(filterId));
    if (filter.head().state() != FilterState.ACTIVE) {
      throw FilterNotReady.in(filter.name(), filter.head().state());
    }
    return filter;
  }

  private static Cursor start(FilterName name, Tail tail) {
    if (!tail.entries().isEmpty()) {
      return new Cursor(tail.after(), tail.entries().get(0).previousToken());
    }
    if (tail.after() != tail.head().lastSeq()) {
      throw broken(name);
    }
    return tail.head().end();
  }

  private static CorruptFilterException broken(FilterName name) {
    return new CorruptFilterException(
        "The journal of filter "
            + name
            + " is not a chain from its folded entries to its newest. Restore the bloom_ tables from one backup.");
  }

  private static Image allocate(FilterRecord filter, Cursor cursor) {
    List<BloomParameters> shapes =
        filter.generations().stream().map(GenerationRecord::parameters).toList();
    MirrorRoom.require(filter.name(), shapes);
    try {
      return new Image(filter.head().epoch(), filter.generations(), cursor);
    } catch (OutOfMemoryError e) {
      throw MirrorRoom.tooLarge(filter.name(), shapes);
    }
  }

  private void readSlots(GenerationRecord generation, Image image, int index) {
    SlotRows rows = new SlotRows(generation);
    long slots = generation.parameters().slots();
    AtomicLong next = new AtomicLong();
    Runnable readRanges =
        () -> {
          long from = next.getAndAdd(SLOTS_PER_RANGE);
          while (from < slots) {
            long first = from;
            long end = Math.min(slots, first + SLOTS_PER_RANGE);
            database.transact(
                tx -> {
                  rows.scan(tx, first, end, image.sink(index));
                  return end;
                });
            from = next.getAndAdd(SLOTS_PER_RANGE);
          }
        };
    long ranges = (slots + SLOTS_PER_RANGE - 1) / SLOTS_PER_RANGE;
    List<CompletableFuture<Void>> readers = new ArrayList<>();
    for (int i = 1; i < Math.min(PARALLEL_RANGES, ranges); i++) {
      readers.add(CompletableFuture.runAsync(readRanges, executor));
    }
    try {
      readRanges.run();
      readers.forEach(CompletableFuture::join);
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    } finally {
      next.set(slots);
    }
    database.transact(
        tx -> {
          rows.requireWithinBounds(tx);
          return true;
        });
  }

  /** Returns false if the filter was cleared meanwhile. */
  private boolean followToEnd(FilterRecord filter, Image image) {
    while (true) {
      Tail tail =
          database
              .read(tx -> journal.tail(tx, filter.id(), image.cursor().seq()))
              .orElseThrow(() -> FilterNotReady.gone(filter.name()));
      if (tail.head().epoch() != filter.head().epoch()) {
        return false;
      }
      if (!image.apply(tail.entries())) {
        throw broken(filter.name());
      }
      if (image.cursor().seq() >= tail.head().lastSeq()) {
        return true;
      }
      if (tail.entries().isEmpty()) {
        throw broken(filter.name());
      }
    }
  }
}
