package io.github.slotbloom.perf.peer;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.perf.server.DatabaseServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Our window, with a bucket for each day. */
public final class SlotbloomWindow implements WindowKeys {

  private static final int CONNECTIONS = 8;
  private static final long LONGEST_WAIT_NANOS = TimeUnit.MINUTES.toNanos(2);
  private static final long BETWEEN_LOOKS_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** The table for the next day is made, and those of days that expired are noted as left. */
  private static final String ALL_DONE =
      "SELECT f.bucket = ? AND SUM(u.description LIKE 'created ahead%') = 1"
          + " AND SUM(u.description LIKE '%expired%' AND u.left_utc IS NULL) = 0"
          + " FROM bloom_filter f JOIN bloom_unused_table u ON u.filter_id = f.id GROUP BY f.id";

  private final DatabaseServer server;
  private final String schema;
  private final double falsePositiveRate;
  private final HikariDataSource pool;
  private final SlotBloom bloom;
  private final BloomFilter<String> filter;
  private volatile Instant now;

  /**
   * Creates a window in an empty schema.
   *
   * @param capacity the keys in the length of the window
   */
  public SlotbloomWindow(
      DatabaseServer server,
      String schema,
      long capacity,
      double falsePositiveRate,
      LocalDate day) {
    this.server = server;
    this.schema = schema;
    this.falsePositiveRate = falsePositiveRate;
    now = begin(day.toEpochDay());
    pool = server.account(schema).pool(CONNECTIONS);
    bloom = SlotBloom.on(new SimulatedClock(pool, () -> now).dataSource());
    bloom.migrate();
    filter =
        bloom.reserve(
            "seen",
            FilterSpec.builder(KeyType.text())
                .capacity(capacity)
                .falsePositiveRate(falsePositiveRate)
                .window(Duration.ofDays(DAYS), DAYS)
                .build());
  }

  private static Instant begin(long epochDay) {
    return LocalDate.ofEpochDay(epochDay).atStartOfDay().toInstant(ZoneOffset.UTC);
  }

  @Override
  public String name() {
    return "Slotbloom";
  }

  @Override
  public String durability() {
    return server.durability();
  }

  @Override
  public double falsePositiveRate() {
    return falsePositiveRate;
  }

  @Override
  public boolean[] addEach(List<String> keys) {
    return filter.addEach(keys);
  }

  public boolean[] mightContainEach(List<String> keys) {
    return filter.mightContainEach(keys);
  }

  /** Lets the day begin. The library does the rest, as soon as somebody adds. */
  @Override
  public void begin(LocalDate day) throws SQLException {
    now = begin(day.toEpochDay());
    long begun = System.nanoTime();
    try (Connection connection = server.account(schema).connect();
        PreparedStatement select = connection.prepareStatement(ALL_DONE)) {
      select.setLong(1, day.toEpochDay());
      while (!isTrue(select)) {
        if (System.nanoTime() - begun > LONGEST_WAIT_NANOS) {
          throw new IllegalStateException("The bucket of " + day + " did not begin.");
        }
        LockSupport.parkNanos(BETWEEN_LOOKS_NANOS);
      }
    }
  }

  private static boolean isTrue(PreparedStatement select) throws SQLException {
    try (ResultSet row = select.executeQuery()) {
      return row.next() && row.getBoolean(1);
    }
  }

  @Override
  public void settle() {
    bloom.admin(filter.name()).fold();
  }

  /** Returns the bytes of all slot tables, with those that are empty or expired. */
  @Override
  public long bytes() throws SQLException {
    long bytes = 0;
    for (String table : slotTables()) {
      bytes += server.tableBytes(schema, table);
    }
    return bytes;
  }

  private List<String> slotTables() throws SQLException {
    List<String> tables = new ArrayList<>();
    try (Connection connection = server.account(schema).connect();
        PreparedStatement select =
            connection.prepareStatement(
                "SELECT slot_table FROM bloom_generation_status UNION ALL"
                    + " SELECT slot_table FROM bloom_unused_table WHERE description <> 'dropped'");
        ResultSet rows = select.executeQuery()) {
      while (rows.next()) {
        tables.add(rows.getString(1));
      }
    }
    return tables;
  }

  @Override
  public void close() {
    bloom.close();
    pool.close();
  }
}
