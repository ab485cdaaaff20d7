package io.github.slotbloom.internal.duty;

import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.core.WhenFull;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.error.ClockException;
import io.github.slotbloom.internal.store.Tokens;
import io.github.slotbloom.internal.store.catalog.WindowRows;
import io.github.slotbloom.internal.store.filter.Bucket;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.KeyCounts;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.time.DatabaseClock;
import io.github.slotbloom.internal.time.TimeSource;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Begins the bucket of a window that the clock of the database is in. No key is decided on in a
 * bucket that is over, so a generation takes keys of its own bucket only, and all of them expire at
 * one moment.
 *
 * <p>Needs no DDL, so it can be done in a transaction of a caller: the table of the next generation
 * was made before. If it was not, the newest generation goes on in the new bucket, and its keys
 * live longer.
 */
public final class Rotation {

  /** A new generation is made for at least that many keys. */
  private static final long LEAST_CAPACITY = 1000;

  private final TimeSource time;

  /**
   * Creates the rotation of filters by a process.
   *
   * @param time its clocks, which tell whether that of the database can be right
   */
  public Rotation(TimeSource time) {
    this.time = time;
  }

  /**
   * Begins the present bucket, unless it began already. Needs the lock of {@link
   * io.github.slotbloom.internal.store.catalog.Catalog#lockHead}.
   *
   * @param filter the filter as it is under the lock
   * @return false if all keys have expired, so that the newest generation cannot go on, and there
   *     is no table for another
   * @throws ClockException if the clock of the database cannot be right
   */
  public boolean rotate(Tx tx, FilterRecord filter) {
    Window window = Objects.requireNonNull(filter.window());
    long now = WindowRows.nowMicros(tx);
    Bucket bucket = new Bucket(window.bucketAt(now), window.buckets());
    if (filter.head().bucket() >= bucket.number()) {
      return true;
    }
    requireCredible(filter, window, now);
    Map<Integer, KeyCounts> counted = WindowRows.counted(tx, filter);
    if (WindowRows.isNextReady(tx, filter)) {
      begin(tx, filter, bucket, counted);
      return true;
    }
    if (filter.newestGeneration().answersIn(bucket.number())) {
      goOn(tx, filter, bucket, counted);
      return true;
    }
    return false;
  }

  /**
   * Refuses a clock that is far ahead of that of this machine: one that leaps a year ahead would
   * make all keys expire.
   */
  private void requireCredible(FilterRecord filter, Window window, long nowMicros) {
    long ownMicros = time.wallMillis() * 1000;
    if (!DatabaseClock.isCredible(window, nowMicros, time)) {
      throw new ClockException(
          ("The keys of filter %s would expire too early: the clock of the database says %s, which"
                  + " is far ahead of that of this machine, %s. Set the one right that is wrong.")
              .formatted(filter.name(), instant(nowMicros), instant(ownMicros)));
    }
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS).truncatedTo(ChronoUnit.SECONDS);
  }

  private static void begin(
      Tx tx, FilterRecord filter, Bucket bucket, Map<Integer, KeyCounts> counted) {
    KeyCounts closed = filter.head().countsBeside(counted.values());
    counted.put(filter.newestGeneration().number(), closed);
    KeyCounts left = left(filter.generations(), bucket, counted);
    GenerationRecord next = next(filter, counted).in(bucket);
    WindowRows.begin(tx, filter, next, closed, left, left.keysSet() + next.capacity());
  }

  private static void goOn(
      Tx tx, FilterRecord filter, Bucket bucket, Map<Integer, KeyCounts> counted) {
    GenerationRecord newest = filter.newestGeneration();
    // Its layers may belong to an older bucket from then on, and are counted with it.
    KeyCounts ofNewest = filter.head().countsBeside(counted.values());
    KeyCounts older = left(filter.generations(), bucket, counted);
    KeyCounts left = older.plus(ofNewest);
    long before = sum(filter.generations().stream(), counted).keysSet();
    long capacity = Math.max(1, filter.capacity() - before + older.keysSet());
    WindowRows.goOn(tx, filter, newest.in(bucket), left, capacity, Tokens.next());
  }

  private static KeyCounts left(
      List<GenerationRecord> generations, Bucket bucket, Map<Integer, KeyCounts> counted) {
    return sum(
        generations.stream().filter(generation -> generation.answersIn(bucket.number())), counted);
  }

  private static KeyCounts sum(
      Stream<GenerationRecord> generations, Map<Integer, KeyCounts> counted) {
    return generations
        .map(generation -> counted.getOrDefault(generation.number(), KeyCounts.ofNew(0)))
        .reduce(KeyCounts.ofNew(0), KeyCounts::plus);
  }

  private static GenerationRecord next(FilterRecord filter, Map<Integer, KeyCounts> counted) {
    return filter.sole(
        filter.newestGeneration().number() + 1,
        filter.head().lastSeq() + 1,
        capacity(filter, counted));
  }

  /**
   * Returns the keys that the next bucket is made for. A filter that may grow is made for a quarter
   * more than the fullest bucket of the window held; it grows by a layer if more come. Any other
   * takes as many in each bucket.
   */
  private static long capacity(FilterRecord filter, Map<Integer, KeyCounts> counted) {
    long ofNewest = filter.set().ofNewestBucket().get(0).capacity();
    if (filter.head().whenFull() != WhenFull.GROW) {
      return ofNewest;
    }
    long fullest = counted.values().stream().mapToLong(KeyCounts::keysSet).max().orElse(0);
    long wanted = Math.max(LEAST_CAPACITY, fullest + fullest / 4);
    boolean wholeWindow = counted.size() >= Objects.requireNonNull(filter.window()).buckets();
    return Math.min(Sizing.MAX_CAPACITY, wholeWindow ? wanted : Math.max(wanted, ofNewest));
  }
}
