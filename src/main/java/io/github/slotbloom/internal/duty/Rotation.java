package io.github.slotbloom.internal.duty;

import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.error.ClockException;
import io.github.slotbloom.internal.store.Tokens;
import io.github.slotbloom.internal.store.catalog.ExpiryRows;
import io.github.slotbloom.internal.store.catalog.TableRows;
import io.github.slotbloom.internal.store.filter.Bucket;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.KeyCounts;
import io.github.slotbloom.internal.store.filter.Manifest;
import io.github.slotbloom.internal.store.journal.ManifestRows;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.time.DatabaseClock;
import io.github.slotbloom.internal.time.TimeSource;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Begins the bucket of a window that the database clock is in. No key is decided on in a bucket
 * that is over, so a generation takes keys of its own bucket only, and all of them expire at one
 * moment.
 *
 * <p>Needs no DDL, so it can be done in a transaction of a caller: the table of the next generation
 * was made before. If it was not, the newest generation goes on in the new bucket, and its keys
 * live longer.
 */
public final class Rotation {

  /** A new generation is sized for at least that many keys. */
  private static final long LEAST_CAPACITY = 1000;

  private final TimeSource time;

  /**
   * @param time its clocks, which tell whether that of the database can be right
   */
  public Rotation(TimeSource time) {
    this.time = time;
  }

  /**
   * Begins the current bucket, unless it began already. Needs the lock of {@link HeadLock#take}.
   *
   * @param filter the filter as it is under the lock
   * @return false if all keys have expired, so that the newest generation cannot go on, and there
   *     is no table for another
   * @throws ClockException if the database clock cannot be right
   */
  public boolean rotate(Tx tx, FilterRecord filter) {
    Window window = Objects.requireNonNull(filter.window());
    long now = ExpiryRows.nowMicros(tx);
    Bucket bucket = new Bucket(window.bucketAt(now), window.buckets());
    if (filter.head().bucket() >= bucket.number()) {
      return true;
    }
    requireCredible(filter, window, now);
    if (TableRows.isMade(tx, filter.id(), filter.manifest().next())) {
      begin(tx, filter, bucket);
      return true;
    }
    if (filter.newestGeneration().answersIn(bucket.number())) {
      goOn(tx, filter, bucket);
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
          ("The keys of filter %s would expire too early: the database clock says %s, far ahead of"
                  + " this machine's clock, %s. Correct the clock that is wrong.")
              .formatted(filter.name(), instant(nowMicros), instant(ownMicros)));
    }
  }

  private static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS).truncatedTo(ChronoUnit.SECONDS);
  }

  private static void begin(Tx tx, FilterRecord filter, Bucket bucket) {
    List<KeyCounts> counted = counted(filter.generations());
    KeyCounts closed = filter.head().countsBeside(counted);
    GenerationRecord next = filter.sole(capacity(filter, plus(counted, closed))).in(bucket);
    Manifest manifest = filter.manifest().rotated(closed, next);
    KeyCounts left = sum(counted(manifest.read()));
    append(tx, filter, manifest, left, left.keysSet() + next.capacity());
  }

  private static void goOn(Tx tx, FilterRecord filter, Bucket bucket) {
    List<KeyCounts> counted = counted(filter.generations());
    Manifest manifest =
        filter.manifest().goingOn(filter.head().lastSeq() + 1, Tokens.next(), bucket);
    // Its layers may belong to an older bucket from then on, and are counted with it.
    KeyCounts ofNewest = filter.head().countsBeside(counted);
    KeyCounts older = sum(counted(manifest.read()));
    long capacity = Math.max(1, filter.capacity() - sum(counted).keysSet() + older.keysSet());
    append(tx, filter, manifest, older.plus(ofNewest), capacity);
  }

  /**
   * @param left what the buckets that do not expire now count together
   */
  private static void append(
      Tx tx, FilterRecord filter, Manifest manifest, KeyCounts left, long capacity) {
    FilterHead head = filter.head();
    KeyCounts change =
        new KeyCounts(
            left.keys() - head.keysAdded(),
            left.removed() - head.keysRemoved(),
            left.renewed() - head.keysRenewed());
    ManifestRows.append(tx, filter, manifest, capacity, change);
  }

  /** Returns what was counted in buckets that are over. */
  private static List<KeyCounts> counted(List<GenerationRecord> generations) {
    return generations.stream().map(GenerationRecord::counts).filter(Objects::nonNull).toList();
  }

  private static List<KeyCounts> plus(List<KeyCounts> some, KeyCounts more) {
    return Stream.concat(some.stream(), Stream.of(more)).toList();
  }

  private static KeyCounts sum(List<KeyCounts> counts) {
    return counts.stream().reduce(KeyCounts.NONE, KeyCounts::plus);
  }

  /**
   * Returns the keys that the next bucket is sized for. A filter that may grow is sized for a
   * quarter more than the fullest bucket of the window held; it grows by a layer if more come. Any
   * other takes as many in each bucket.
   */
  private static long capacity(FilterRecord filter, List<KeyCounts> counted) {
    long ofNewest = filter.manifest().ofNewestBucket().get(0).capacity();
    if (filter.head().onFull() != OnFull.GROW) {
      return ofNewest;
    }
    long fullest = counted.stream().mapToLong(KeyCounts::keysSet).max().orElse(0);
    long wanted = Math.max(LEAST_CAPACITY, fullest + fullest / 4);
    boolean wholeWindow = counted.size() >= Objects.requireNonNull(filter.window()).buckets();
    return Math.min(Sizing.MAX_CAPACITY, wholeWindow ? wanted : Math.max(wanted, ofNewest));
  }
}
