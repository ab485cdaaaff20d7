package io.github.slotbloom.internal.admin;

import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.internal.store.catalog.ExpiryRows;
import io.github.slotbloom.internal.store.filter.Bucket;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.KeyCounts;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.time.DatabaseClock;
import io.github.slotbloom.internal.time.TimeSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * What the buckets of a window count, and which of them have expired by the database clock, even if
 * no other bucket has begun since. A filter whose keys never expire has no buckets.
 */
final class WindowCounts {

  private final FilterRecord filter;
  private final FilterHead head;
  private final @Nullable Window window;

  /** By the number of the bucket; those that count nothing may be missing. */
  private final Map<Long, KeyCounts> buckets = new HashMap<>();

  /** The bucket that the clock is in, or a later one that takes new keys. */
  private final long present;

  private WindowCounts(FilterRecord filter, FilterHead head, long present) {
    this.filter = filter;
    this.head = head;
    this.window = filter.window();
    this.present = present;
    List<KeyCounts> counted = new ArrayList<>();
    for (GenerationRecord generation : filter.generations()) {
      Bucket bucket = generation.bucket();
      KeyCounts counts = generation.counts();
      if (bucket != null && counts != null) {
        counted.add(counts);
        buckets.merge(bucket.number(), counts, KeyCounts::plus);
      }
    }
    buckets.merge(newest(), head.countsBeside(counted), KeyCounts::plus);
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
    long now = DatabaseClock.credibleBucket(window, ExpiryRows.nowMicros(tx), time);
    return new WindowCounts(filter, head, Math.max(now, head.bucket()));
  }

  /** Returns the counts of a filter whose keys never expire. */
  static WindowCounts everlasting(FilterRecord filter, FilterHead head) {
    return new WindowCounts(filter, head, FilterHead.NO_BUCKET);
  }

  private long newest() {
    Bucket bucket = filter.newestGeneration().bucket();
    return bucket == null ? FilterHead.NO_BUCKET : bucket.number();
  }

  boolean hasExpired(GenerationRecord generation) {
    return !generation.answersIn(present);
  }

  private boolean hasExpired(long bucket) {
    return window != null && bucket + window.buckets() < present;
  }

  private boolean isOver(long bucket) {
    return bucket < newest() || bucket < present;
  }

  private KeyCounts sum(LongPredicate which) {
    return buckets.entrySet().stream()
        .filter(bucket -> which.test(bucket.getKey()))
        .map(Map.Entry::getValue)
        .reduce(KeyCounts.NONE, KeyCounts::plus);
  }

  /** Returns what was counted in the buckets that have not expired. */
  KeyCounts counted() {
    return sum(b -> !hasExpired(b));
  }

  /** Returns the number of keys whose bits are set, without those that expired. */
  long keysSet() {
    return window == null ? head.keysSet() : counted().keysSet();
  }

  /**
   * Returns the number of keys at which the filter is full. If no bucket takes new keys now, the
   * next one is counted as if it were made as the newest was.
   */
  long fullAt() {
    if (isOver(newest())) {
      return keysSet() + filter.manifest().ofNewestBucket().get(0).capacity();
    }
    return Math.max(1, filter.capacity() - sum(this::hasExpired).keysSet());
  }

  /** Returns the number of keys that the filter is sized for; of a window, in its whole length. */
  long capacity() {
    return window == null ? fullAt() : window.buckets() * (fullAt() - keysInPastBuckets());
  }

  /** Returns the part of the capacity that is used; of a window, that of the current bucket. */
  double used() {
    long over = keysInPastBuckets();
    return (double) (keysSet() - over) / Math.max(1, fullAt() - over);
  }

  private long keysInPastBuckets() {
    return sum(b -> isOver(b) && !hasExpired(b)).keysSet();
  }

  /** Returns the bucket of a generation; empty if its keys never expire. */
  Optional<FilterInfo.Bucket> bucket(GenerationRecord generation) {
    Bucket bucket = generation.bucket();
    if (window == null || bucket == null) {
      return Optional.empty();
    }
    long number = bucket.number();
    KeyCounts counts = buckets.getOrDefault(number, KeyCounts.NONE);
    return Optional.of(
        new FilterInfo.Bucket(
            window.begin(number),
            window.begin(number + 1),
            window.begin(number + window.buckets() + 1),
            isOver(number),
            counts.keysSet()));
  }
}
