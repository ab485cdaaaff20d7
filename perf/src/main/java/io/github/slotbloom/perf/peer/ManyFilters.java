package io.github.slotbloom.perf.peer;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.perf.server.DatabaseServer;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Several of our filters in one process, each with an equal share of the callers and the keys. */
public final class ManyFilters implements SeenKeys {

  private final double falsePositiveRate;
  private final String durability;
  private final HikariDataSource pool;
  private final SlotBloom bloom;
  private final List<BloomFilter<String>> filters;
  private final AtomicInteger callers = new AtomicInteger();

  /**
   * Creates new, strict filters in a schema that has our tables.
   *
   * @param capacity of all of them together
   */
  public ManyFilters(
      DatabaseServer server, String schema, int count, long capacity, double falsePositiveRate)
      throws SQLException {
    this.falsePositiveRate = falsePositiveRate;
    durability = server.durability();
    pool = server.account(schema).pool(SlotbloomKeys.CONNECTIONS);
    bloom = SlotBloom.on(pool);
    filters =
        IntStream.range(0, count)
            .mapToObj(
                i ->
                    bloom.reserve(
                        "seen " + i, SlotbloomKeys.spec(capacity / count, falsePositiveRate)))
            .toList();
  }

  @Override
  public String name() {
    return "Slotbloom, strict, " + filters.size() + " filters";
  }

  @Override
  public String durability() {
    return durability;
  }

  @Override
  public double falsePositiveRate() {
    return falsePositiveRate;
  }

  /** Returns a caller of the filter whose turn it is. */
  @Override
  public Caller caller() {
    return new FilterCaller(filters.get(callers.getAndIncrement() % filters.size()));
  }

  @Override
  public void settle() {
    filters.forEach(filter -> bloom.admin(filter.name()).fold());
  }

  @Override
  public void close() {
    bloom.close();
    pool.close();
  }
}
