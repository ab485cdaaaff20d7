package io.github.slotbloom.perf.cases;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.peer.SimulatedClock;
import io.github.slotbloom.perf.peer.StoredFilter;
import io.github.slotbloom.perf.server.DatabaseAccount;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongFunction;

/** Provides filters with keys, filled once for all cases that ask them. */
final class FilledFilters {

  static final String SCHEMA = "perf_filled";

  private FilledFilters() {}

  /** Returns a filter of texts that holds the keys 0 to keys - 1. */
  static String texts(Bench bench, long capacity, long keys) throws Exception {
    return of(bench, KeyType.text(), Keys::text, capacity, keys);
  }

  /** {@return the name of the filter} Nobody adds to it. */
  static <K> String of(Bench bench, KeyType<K> type, LongFunction<K> key, long capacity, long keys)
      throws Exception {
    String filter = type.id() + "_" + capacity + "_" + keys;
    DatabaseAccount account = bench.database().schema(SCHEMA);
    try (HikariDataSource pool = account.pool(2);
        SlotBloom bloom = SlotBloom.on(pool)) {
      if (!bloom.isMigrated()) {
        bloom.migrate();
      }
      if (!bloom.names().contains(filter)) {
        FilterSpec<K> spec =
            FilterSpec.builder(type)
                .capacity(capacity)
                .falsePositiveRate(Peers.FALSE_POSITIVE_RATE)
                .fixed()
                .build();
        bloom.reserve(filter, spec, FilterOptions.defaults().withoutMirror()).close();
        new SlotFill<>(type, key).fill(account, filter, keys);
      }
    }
    return filter;
  }

  /**
   * {@return the name of a window whose keys were added in even shares in all buckets that count}
   * The present time lies in its newest bucket, and will for some days. Nobody adds to it.
   */
  static String window(Bench bench, int buckets, long keys) throws Exception {
    String filter = "window_" + buckets + "_" + keys;
    DatabaseAccount account = bench.database().schema(SCHEMA);
    Duration bucket = bucketLength();
    Instant first = Instant.now().minus(bucket.multipliedBy(buckets));
    AtomicInteger passed = new AtomicInteger();
    try (HikariDataSource pool = account.pool(4)) {
      SimulatedClock clock =
          new SimulatedClock(pool, () -> first.plus(bucket.multipliedBy(passed.get())));
      try (SlotBloom bloom = SlotBloom.on(clock.dataSource())) {
        if (!bloom.isMigrated()) {
          bloom.migrate();
        }
        if (bloom.names().contains(filter)) {
          return filter;
        }
        FilterSpec<String> spec =
            FilterSpec.builder(KeyType.text())
                .capacity(keys)
                .falsePositiveRate(Peers.FALSE_POSITIVE_RATE)
                .fixed()
                .window(bucket.multipliedBy(buckets), buckets)
                .build();
        try (BloomFilter<String> window = bloom.reserve(filter, spec)) {
          for (int i = 0; i <= buckets; i++) {
            clock.awaitIdle();
            passed.set(i);
            // Whoever adds begins the bucket.
            window.add(Keys.text(SlotFill.firstOf(i, buckets + 1, keys)));
          }
          bloom.admin(filter).fold();
        }
      }
    }
    List<StoredFilter> generations = StoredFilter.generations(account, filter);
    if (generations.size() != buckets + 1) {
      throw new IllegalStateException(
          filter + " has " + generations.size() + " generations instead of " + (buckets + 1));
    }
    new SlotFill<>(KeyType.text(), Keys::text).fill(account, filter, generations, keys);
    return filter;
  }

  /** Returns a length of buckets of which the present one does not end soon. */
  private static Duration bucketLength() {
    Instant soon = Instant.now().plus(Duration.ofDays(2));
    Duration length = Duration.ofDays(30);
    while (bucketAt(Instant.now(), length) != bucketAt(soon, length)) {
      length = length.plusDays(1);
    }
    return length;
  }

  private static long bucketAt(Instant time, Duration length) {
    return time.toEpochMilli() / length.toMillis();
  }
}
