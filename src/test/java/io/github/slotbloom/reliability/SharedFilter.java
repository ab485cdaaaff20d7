package io.github.slotbloom.reliability;

import static io.github.slotbloom.testing.FilterNames.newName;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterAdmin;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** A new filter on several servers that processes have opened. The last of them has no mirror. */
final class SharedFilter implements AutoCloseable {

  /** A failover takes about 10 s, and far longer on a machine with much to do. */
  static final Duration TIMEOUT = Duration.ofMinutes(3);

  /** Of each process. */
  static final int CONNECTIONS = 3;

  private final String name = newName();
  private final List<HikariDataSource> pools = new ArrayList<>();
  private final List<SlotBloom> blooms = new ArrayList<>();
  private final List<BloomFilter<String>> filters = new ArrayList<>();
  private final List<ContestedKeys> contests = new ArrayList<>();

  /**
   * Reserves the filter, and opens it.
   *
   * @param servers what each process connects to
   */
  SharedFilter(List<? extends DataSource> servers, FilterSpec<String> spec) {
    for (DataSource process : servers) {
      SlotBloom bloom = connect(process);
      if (filters.isEmpty()) {
        bloom.migrate();
        bloom.reserve(name, spec);
      }
      filters.add(open(bloom, filters.size() < servers.size() - 1, TIMEOUT));
    }
  }

  /** Returns the specification of a filter that errs so seldom that no test notices. */
  static FilterSpec.Builder<String> exact() {
    return FilterSpec.builder(KeyType.text())
        .capacity(ContestedKeys.CAPACITY)
        .falsePositiveRate(1e-9);
  }

  private SlotBloom connect(DataSource servers) {
    return connect(SlotBloom.builder(pooled(servers)));
  }

  private SlotBloom connect(SlotBloom.Builder builder) {
    SlotBloom bloom = builder.build();
    blooms.add(bloom);
    return bloom;
  }

  private DataSource pooled(DataSource servers) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(servers);
    config.setMaximumPoolSize(CONNECTIONS);
    config.setConnectionTimeout(3_000);
    HikariDataSource pool = new HikariDataSource(config);
    pools.add(pool);
    return pool;
  }

  private BloomFilter<String> open(SlotBloom bloom, boolean mirrored, Duration timeout) {
    FilterOptions options = FilterOptions.defaults().timeout(timeout);
    return bloom.open(name, KeyType.text(), mirrored ? options : options.withoutMirror());
  }

  /** Opens the filter in one more process. It gives up after seconds. */
  BloomFilter<String> openOn(DataSource server, boolean mirrored) {
    return open(connect(server), mirrored, Duration.ofSeconds(3));
  }

  /** Opens the filter in one more process, whose lookups a secondary answers. */
  BloomFilter<String> openAsking(DataSource primary, DataSource secondary, boolean mirrored) {
    return open(
        connect(SlotBloom.builder(pooled(primary)).secondaries(pooled(secondary))),
        mirrored,
        TIMEOUT);
  }

  String name() {
    return name;
  }

  /** Returns the filter as each process has opened it. */
  List<BloomFilter<String>> filters() {
    return filters;
  }

  /** Returns the pool of a process. */
  DataSource pool(int process) {
    return pools.get(process);
  }

  SlotBloom bloom(int process) {
    return blooms.get(process);
  }

  FilterAdmin admin() {
    return blooms.get(0).admin(name());
  }

  /** Has all processes add the same keys, and ask for them. */
  ContestedKeys contest() {
    return contest(List.of());
  }

  /**
   * Has all processes add the same keys, and ask for them.
   *
   * @param more the filter in further processes
   */
  ContestedKeys contest(List<BloomFilter<String>> more) {
    ContestedKeys keys = new ContestedKeys(Stream.concat(filters.stream(), more.stream()).toList());
    contests.add(keys);
    return keys;
  }

  @Override
  public void close() {
    contests.forEach(ContestedKeys::stop);
    blooms.forEach(SlotBloom::close);
    pools.forEach(HikariDataSource::close);
  }
}
