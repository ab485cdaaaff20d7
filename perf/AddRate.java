import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.WriteMode;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How many durable keys a second one caller adds by batches, in both write modes, beside a table
 * that has the 64-bit hash as its primary key and takes the same batches by INSERT IGNORE. The
 * cases take turns in each round, every round with new keys, and what each says it took is checked.
 * Prints medians and ratios.
 *
 * <p>Arguments: JDBC URL, user, password, keys a round (default 200000), rounds (default 3), batch
 * (default 1000).
 */
public final class AddRate {

  private interface Case {
    /** Adds keys first to first + count - 1, and returns how many were new. */
    long run(long first, int count, int batch) throws Exception;
  }

  public static void main(String[] args) throws Exception {
    int keys = args.length > 3 ? Integer.parseInt(args[3]) : 200_000;
    int rounds = args.length > 4 ? Integer.parseInt(args[4]) : 3;
    int batch = args.length > 5 ? Integer.parseInt(args[5]) : 1000;
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(args[0]);
    config.setUsername(args[1]);
    config.setPassword(args[2]);
    config.setMaximumPoolSize(4);
    try (HikariDataSource pool = new HikariDataSource(config);
        SlotBloom bloom = SlotBloom.on(pool)) {
      bloom.migrate();
      // Two cases share a deferred filter, and a fifth of room is left.
      long capacity = (long) (keys * (rounds + 1) * 2.5);
      Map<String, Case> cases = new LinkedHashMap<>();
      for (Layout layout : Layout.values()) {
        for (WriteMode mode : WriteMode.values()) {
          String name = "perf_" + layout.name().toLowerCase() + "_" + mode.name().toLowerCase();
          if (bloom.list().contains(name)) {
            bloom.drop(name);
          }
          FilterSpec<Long> spec =
              FilterSpec.builder(KeyType.longs())
                  .capacity(capacity)
                  .layout(layout)
                  .writeMode(mode)
                  .build();
          BloomFilter<Long> filter = bloom.reserve(name, spec, FilterOptions.defaults());
          cases.put("addEach " + layout + " " + mode, (f, n, b) -> addEach(filter, f, n, b));
          if (mode == WriteMode.DEFERRED) {
            cases.put(
                "addEach " + layout + " " + mode + " and fold",
                (f, n, b) -> {
                  long added = addEach(filter, f + capacity * 10, n, b);
                  filter.fold();
                  return added;
                });
          }
        }
      }
      try (Connection connection = pool.getConnection();
          Statement statement = connection.createStatement()) {
        statement.execute("DROP TABLE IF EXISTS perf_hashes");
        statement.execute("CREATE TABLE perf_hashes (hash BIGINT NOT NULL PRIMARY KEY)");
      }
      cases.put("INSERT IGNORE", (f, n, b) -> insertIgnore(pool, f, n, b));
      measure(cases, keys, rounds, batch);
    }
  }

  private static void measure(Map<String, Case> cases, int keys, int rounds, int batch)
      throws Exception {
    Map<String, double[]> rates = new LinkedHashMap<>();
    for (int round = 0; round <= rounds; round++) {
      for (Map.Entry<String, Case> c : cases.entrySet()) {
        long begun = System.nanoTime();
        long added = c.getValue().run((long) round * keys, keys, batch);
        double rate = keys / ((System.nanoTime() - begun) / 1e9);
        if (added < keys * 0.998 || added > keys) {
          throw new IllegalStateException(c.getKey() + " took " + added + " of " + keys);
        }
        if (round > 0) {
          rates.computeIfAbsent(c.getKey(), k -> new double[rounds])[round - 1] = rate;
        }
      }
    }
    double peer = median(rates.get("INSERT IGNORE"));
    System.out.printf(
        "batches of %,d keys, %,d keys a round, median of %d rounds%n", batch, keys, rounds);
    rates.forEach(
        (name, values) ->
            System.out.printf(
                "%-42s %,12.0f keys/s (%,.0f to %,.0f)  %6.2f times INSERT IGNORE%n",
                name,
                median(values),
                Arrays.stream(values).min().orElseThrow(),
                Arrays.stream(values).max().orElseThrow(),
                median(values) / peer));
  }

  private static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private static long addEach(BloomFilter<Long> filter, long first, int count, int batch) {
    long added = 0;
    for (long from = first; from < first + count; from += batch) {
      List<Long> keys = new ArrayList<>(batch);
      for (long key = from; key < Math.min(from + batch, first + count); key++) {
        keys.add(key);
      }
      for (boolean isNew : filter.addEach(keys)) {
        added += isNew ? 1 : 0;
      }
    }
    return added;
  }

  private static long insertIgnore(HikariDataSource pool, long first, int count, int batch)
      throws Exception {
    long added = 0;
    for (long from = first; from < first + count; from += batch) {
      int n = (int) Math.min(batch, first + count - from);
      try (Connection connection = pool.getConnection();
          PreparedStatement insert =
              connection.prepareStatement(
                  "INSERT IGNORE INTO perf_hashes VALUES (?)" + ",(?)".repeat(n - 1))) {
        for (int i = 0; i < n; i++) {
          // Mixed as a hash would be, so that the rows come in no order.
          long z = (from + i) * 0x9E3779B97F4A7C15L;
          z = (z ^ (z >>> 32)) * 0xD6E8FEB86659FD93L;
          insert.setLong(i + 1, z ^ (z >>> 32));
        }
        added += insert.executeUpdate();
      }
    }
    return added;
  }
}
