package io.github.slotbloom.internal.admin;

import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.internal.store.catalog.WindowRows;
import io.github.slotbloom.internal.store.filter.Bucket;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.KeyCounts;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.time.DatabaseClock;
import io.github.slotbloom.internal.time.TimeSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongPredicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What the buckets of a window count, and which of them have expired by the clock of the database,
 * even if no other bucket has begun since. A filter whose keys never expire has no buckets.
 */
final class WindowCounts {

  private final FilterRecord filter;
  private final FilterHead head;
  private final @Nullable Window window;

  /** By the number of the bucket; those that count nothing may be missing. */
  private final Map<Long, KeyCounts> buckets = new HashMap<>();

  /** The bucket that the clock is in, or a later one that takes new keys. */
  private final long present;

  private WindowCounts(
      FilterRecord filter, FilterHead head, Map<Integer, KeyCounts> counted, long present) {
    this.filter = filter;
    this.head = head;
    this.window = filter.window();
    this.present = present;
    for (GenerationRecord generation : filter.generations()) {
      Bucket bucket = generation.bucket();
      KeyCounts counts = counted.get(generation.number());
      if (bucket != null && counts != null) {
        buckets.merge(bucket.number(), counts, KeyCounts::plus);
      }
    }
    if (window != null) {
      buckets.merge(newest(), head.countsBeside(counted.values()), KeyCounts::plus);
    }
  }

  /**
   * Reads the counts.
   *
   * @param head the head of the filter, which may be newer than the rest of it
   * @param time tells which times of the database are credible
   */
  static WindowCounts read(Tx tx, FilterRecord filter, FilterHead head, TimeSource time) {
    Window window = filter.window();
    if (window == null) {
      return everlasting(filter, head);
    }
    long now = DatabaseClock.credibleBucket(window, WindowRows.nowMicros(tx), time);
    return new WindowCounts(
        filter, head, WindowRows.countedLately(tx, filter), Math.max(now, head.bucket()));
  }

  /** Returns the counts of a filter whose keys never expire. */
  static WindowCounts everlasting(FilterRecord filter, FilterHead head) {
    return new WindowCounts(filter, head, Map.of(), FilterHead.NO_BUCKET);
  }

  private long newest() {
    Bucket bucket = filter.newestGeneration().bucket();
    return bucket == null ? FilterHead.NO_BUCKET : bucket.number();
  }

  boolean hasExpired(GenerationRecord generation) {
    return window != null && !generation.answersIn(present);
  }

  private boolean hasExpired(long bucket) {
    return window != null && bucket + window.buckets() < present;
  }

  private boolean isOver(long bucket) {
    return bucket < newest() || bucket < present;
  }

  private long sum(LongPredicate which, ToLongFunction<KeyCounts> what) {
    return buckets.entrySet().stream()
        .filter(bucket -> which.test(bucket.getKey()))
        .mapToLong(bucket -> what.applyAsLong(bucket.getValue()))
        .sum();
  }

  /** Returns the number of keys added, without those that expired. */
  long keysAdded() {
    return window == null ? head.keysAdded() : sum(b -> !hasExpired(b), KeyCounts::keys);
  }

  /** Returns the number of keys renewed, without those that expired. */
  long keysRenewed() {
    return window == null ? head.keysRenewed() : sum(b -> !hasExpired(b), KeyCounts::renewed);
  }

  /** Returns the number of removed keys, without those that were removed in expired buckets. */
  long keysRemoved() {
    return window == null ? head.keysRemoved() : sum(b -> !hasExpired(b), KeyCounts::removed);
  }

  /** Returns the number of keys whose bits are set, without those that expired. */
  long keysSet() {
    return window == null ? head.keysSet() : keysAdded() + keysRenewed();
  }

  /**
   * Returns the number of keys at which the filter is full. If no bucket takes new keys now, the
   * next one is counted as if it were made as the newest was.
   */
  long fullAt() {
    if (window == null) {
      return filter.capacity();
    }
    if (isOver(newest())) {
      return keysSet() + filter.set().ofNewestBucket().get(0).capacity();
    }
    long expired = sum(this::hasExpired, KeyCounts::keysSet);
    return Math.max(1, filter.capacity() - expired);
  }

  /** Returns the number of keys that the filter is made for; of a window, in its whole length. */
  long capacity() {
    return window == null ? fullAt() : window.buckets() * (fullAt() - keysInPastBuckets());
  }

  /** Returns the part of the capacity that is used; of a window, that of the present bucket. */
  double used() {
    long over = keysInPastBuckets();
    return (double) (keysSet() - over) / Math.max(1, fullAt() - over);
  }

  private long keysInPastBuckets() {
    return window == null ? 0 : sum(b -> isOver(b) && !hasExpired(b), KeyCounts::keysSet);
  }

  /** Returns the bucket of a generation; empty if its keys never expire. */
  Optional<FilterInfo.Bucket> bucket(GenerationRecord generation) {
    Bucket bucket = generation.bucket();
    if (window == null || bucket == null) {
      return Optional.empty();
    }
    long number = bucket.number();
    KeyCounts counts = buckets.getOrDefault(number, KeyCounts.ofNew(0));
    return Optional.of(
        new ReadInfo.ReadBucket(
            window.begin(number),
            window.begin(number + 1),
            window.begin(number + window.buckets() + 1),
            isOver(number),
            counts.keysSet()));
  }
}
