package io.github.slotbloom.perf.cases;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.server.DatabaseAccount;
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
      if (!bloom.list().contains(filter)) {
        FilterSpec<K> spec =
            FilterSpec.builder(type)
                .capacity(capacity)
                .falsePositiveRate(Peers.ERROR_RATE)
                .fixed()
                .build();
        bloom.reserve(filter, spec, FilterOptions.defaults().withoutMirror()).close();
        new SlotFill<>(type, key).fill(account, filter, keys);
      }
    }
    return filter;
  }
}
