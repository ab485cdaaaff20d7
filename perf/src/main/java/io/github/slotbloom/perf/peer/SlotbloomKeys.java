package io.github.slotbloom.perf.peer;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.Freshness;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.perf.server.DatabaseServer;
import java.sql.SQLException;
import java.time.Duration;

/** Uses our filter with the default options, except for the ones named here. */
public final class SlotbloomKeys implements RemovableKeys {

  /** Callers share transactions and reads, so a few connections serve many threads. */
  static final int CONNECTIONS = 8;

  private static final int ALL_KEYS = 100;

  private final String name;
  private final String durability;
  private final HikariDataSource pool;
  private final SlotBloom bloom;
  private final BloomFilter<String> filter;
  private final StoredFilter stored;
  private final double falsePositiveRate;

  private SlotbloomKeys(
      String name, DatabaseServer server, String schema, String filterName, Opening opening)
      throws SQLException {
    this.name = name;
    this.durability = server.durability();
    pool = server.account(schema).pool(CONNECTIONS);
    bloom = SlotBloom.on(pool);
    filter = opening.of(bloom);
    stored = StoredFilter.read(server.account(schema), filterName);
    falsePositiveRate = stored.falsePositiveRate();
  }

  private interface Opening {
    BloomFilter<String> of(SlotBloom bloom);
  }

  /** Returns a spec of fixed size, like the filters of the peers. */
  public static FilterSpec<String> spec(long capacity, double falsePositiveRate) {
    return FilterSpec.builder(KeyType.text())
        .capacity(capacity)
        .falsePositiveRate(falsePositiveRate)
        .fixed()
        .build();
  }

  /** Creates a new, strict filter. */
  public static SlotbloomKeys reserve(
      DatabaseServer server, String schema, String filter, long capacity, double falsePositiveRate)
      throws SQLException {
    return reserve(server, schema, filter, spec(capacity, falsePositiveRate));
  }

  /** Creates a new, strict filter from which all keys can be removed. */
  public static SlotbloomKeys reserveRemovable(
      DatabaseServer server,
      String schema,
      String filter,
      Layout layout,
      long capacity,
      double falsePositiveRate)
      throws SQLException {
    return reserve(
        server,
        schema,
        filter,
        FilterSpec.builder(KeyType.text())
            .capacity(capacity)
            .falsePositiveRate(falsePositiveRate)
            .layout(layout)
            .fixed()
            .buildRemovable(ALL_KEYS));
  }

  private static SlotbloomKeys reserve(
      DatabaseServer server, String schema, String filter, FilterSpec<String> spec)
      throws SQLException {
    return new SlotbloomKeys(
        "Slotbloom",
        server,
        schema,
        filter,
        bloom -> {
          bloom.migrate();
          return bloom.reserve(filter, spec);
        });
  }

  /** Opens an existing filter with strict answers. */
  public static SlotbloomKeys strict(DatabaseServer server, String schema, String filter)
      throws SQLException {
    return open("Slotbloom, strict", server, schema, filter, FilterOptions.defaults());
  }

  /** Opens an existing filter whose "no" may be as old as the bound. */
  public static SlotbloomKeys bounded(
      DatabaseServer server, String schema, String filter, Duration bound) throws SQLException {
    return open(
        "Slotbloom, bounded to " + bound.toMillis() + " ms",
        server,
        schema,
        filter,
        FilterOptions.defaults().freshness(Freshness.bounded(bound)));
  }

  /** Opens an existing filter without a mirror. */
  public static SlotbloomKeys withoutMirror(DatabaseServer server, String schema, String filter)
      throws SQLException {
    return open(
        "Slotbloom, no mirror", server, schema, filter, FilterOptions.defaults().withoutMirror());
  }

  private static SlotbloomKeys open(
      String name, DatabaseServer server, String schema, String filter, FilterOptions options)
      throws SQLException {
    return new SlotbloomKeys(
        name, server, schema, filter, bloom -> bloom.open(filter, KeyType.text(), options));
  }

  public BloomFilter<String> filter() {
    return filter;
  }

  /** Returns the figures of the filter. */
  public FilterInfo info() {
    return bloom.info(filter.name());
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String durability() {
    return durability;
  }

  @Override
  public double falsePositiveRate() {
    return falsePositiveRate;
  }

  @Override
  public void settle() {
    bloom.admin(filter.name()).fold();
  }

  @Override
  public double falsePositiveRateWith(long keys) {
    return Math.max(falsePositiveRate, Sizing.expectedFalsePositiveRate(stored.parameters(), keys));
  }

  @Override
  public RemovingCaller caller() {
    return new FilterCaller(filter);
  }

  @Override
  public void close() {
    bloom.close();
    pool.close();
  }
}
