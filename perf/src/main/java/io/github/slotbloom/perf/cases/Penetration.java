package io.github.slotbloom.perf.cases;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.Freshness;
import io.github.slotbloom.LookupGuard;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Measurement;
import io.github.slotbloom.perf.Opened;
import io.github.slotbloom.perf.Scale;
import io.github.slotbloom.perf.measure.Checks;
import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.report.CaseReport;
import io.github.slotbloom.perf.report.Figures;
import io.github.slotbloom.perf.report.Table;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;

/**
 * Asks a table for keys that it does not have, one a call, and for the same keys again, with and
 * without a guard in front of it. Counts the statements that reach the table.
 */
public final class Penetration implements Measurement {

  private static final String SCHEMA = "perf_penetration";
  private static final String FILTER = "account_ids";
  private static final int CALLERS = 8;
  private static final Duration LONG_ENOUGH = Duration.ofHours(1);

  private final LongAdder statements = new LongAdder();
  private final List<List<String>> rows = new ArrayList<>();

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    rows.clear();
    Scale scale = bench.scale();
    FilterSpec<Long> spec =
        FilterSpec.builder(KeyType.longs())
            .capacity(scale.falsePositiveRateKeys())
            .falsePositiveRate(Peers.FALSE_POSITIVE_RATE)
            .fixed()
            .build();
    try (Opened opened = new Opened()) {
      HikariDataSource pool = opened.keep(bench.database().emptySchema(SCHEMA).pool(2 * CALLERS));
      SlotBloom bloom = opened.keep(SlotBloom.on(pool));
      bloom.migrate();
      BloomFilter<Long> strict = opened.keep(bloom.reserve(FILTER, spec));
      fill(pool, strict, scale.falsePositiveRateKeys());
      BloomFilter<Long> bounded =
          opened.keep(
              bloom.open(
                  FILTER,
                  spec,
                  FilterOptions.defaults().freshness(Freshness.bounded(Peers.BOUND))));
      attack("the table alone", id -> !select(pool, List.of(id)).isEmpty(), scale, report);
      guarded(
          "filter, strict", LookupGuard.builder(strict, ids -> select(pool, ids)), scale, report);
      guarded(
          "filter, strict, and null cache",
          LookupGuard.<Long, Integer>builder(strict, ids -> select(pool, ids))
              .nullCache(scale.keysPerTrial(), LONG_ENOUGH),
          scale,
          report);
      guarded(
          "filter, bounded, and null cache",
          LookupGuard.<Long, Integer>builder(bounded, ids -> select(pool, ids))
              .nullCache(scale.keysPerTrial(), LONG_ENOUGH),
          scale,
          report);
    }
    bench.database().dropSchema(SCHEMA);
    report.add(
        new Table(
            String.format(
                Locale.ROOT,
                "%,d keys that a table of %,d rows does not have, by %d callers",
                scale.keysPerTrial(),
                scale.falsePositiveRateKeys(),
                CALLERS),
            List.of(
                "in front of the table",
                "round",
                "statements at the table",
                "of all calls",
                "calls/s",
                "median ms",
                "99 % ms"),
            List.copyOf(rows)));
    report.note(
        "The filter is full and sized for a false positive rate of 1 %. Each key is asked for once"
            + " in each of two rounds. Strict, every absent key waits for a look at the end of the"
            + " journal, which all callers share; it reads no row of the table.");
  }

  private void guarded(
      String name, LookupGuard.Builder<Long, Integer> builder, Scale scale, CaseReport report)
      throws Exception {
    LookupGuard<Long, Integer> guard = builder.build();
    long[] reached = attack(name, id -> guard.find(id).isPresent(), scale, report);
    Checks checks = report.checks();
    checks.absent(name, scale.keysPerTrial(), reached[0], Peers.FALSE_POSITIVE_RATE);
    boolean remembers = name.contains("null cache");
    checks.expect(
        reached[1] == (remembers ? 0 : reached[0]),
        "%s: %,d statements for new keys, and %,d for the same keys again",
        name,
        reached[0],
        reached[1]);
  }

  /** {@return the statements of each round} */
  private long[] attack(String name, LongPredicate isThere, Scale scale, CaseReport report)
      throws Exception {
    long[] reached = new long[2];
    for (int round = 0; round < reached.length; round++) {
      statements.reset();
      long begun = System.nanoTime();
      long[] nanos = call(isThere, scale.keysPerTrial(), report.checks());
      double seconds = (System.nanoTime() - begun) / 1e9;
      reached[round] = statements.sum();
      rows.add(
          List.of(
              name,
              round == 0 ? "new keys" : "the same keys",
              Figures.of(reached[round]),
              Figures.percent((double) reached[round] / nanos.length),
              Figures.of(nanos.length / seconds),
              millis(nanos, 0.5),
              millis(nanos, 0.99)));
    }
    return reached;
  }

  /** {@return how long the calls took, in ascending order} */
  private static long[] call(LongPredicate isThere, int keys, Checks checks) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(CALLERS);
    try {
      List<Callable<long[]>> callers = new ArrayList<>();
      for (int caller = 0; caller < CALLERS; caller++) {
        int first = caller;
        callers.add(() -> call(isThere, first, keys, checks));
      }
      List<long[]> all = new ArrayList<>();
      for (Future<long[]> one : threads.invokeAll(callers)) {
        all.add(one.get());
      }
      return all.stream().flatMapToLong(Arrays::stream).sorted().toArray();
    } finally {
      threads.shutdown();
    }
  }

  private static long[] call(LongPredicate isThere, int first, int keys, Checks checks) {
    long[] nanos = new long[(keys - first + CALLERS - 1) / CALLERS];
    long found = 0;
    for (int i = 0; i < nanos.length; i++) {
      long key = Keys.scrambled(Keys.ABSENT + first + (long) i * CALLERS);
      long begun = System.nanoTime();
      found += isThere.test(key) ? 1 : 0;
      nanos[i] = System.nanoTime() - begun;
    }
    checks.expect(found == 0, "%,d keys were found that are not there", found);
    return nanos;
  }

  private static void fill(HikariDataSource pool, BloomFilter<Long> filter, int keys)
      throws SQLException {
    try (Connection connection = pool.getConnection()) {
      try (PreparedStatement create =
          connection.prepareStatement(
              "CREATE TABLE account (id BIGINT PRIMARY KEY, balance INT NOT NULL)")) {
        create.execute();
      }
      for (int from = 0; from < keys; from += Keys.PART) {
        List<Long> ids =
            LongStream.range(from, Math.min(keys, from + Keys.PART))
                .map(Keys::scrambled)
                .sorted()
                .boxed()
                .toList();
        filter.addEach(ids);
        insert(connection, ids);
      }
    }
  }

  private static void insert(Connection connection, List<Long> ids) throws SQLException {
    String sql = "INSERT INTO account VALUES (?, 1)" + ", (?, 1)".repeat(ids.size() - 1);
    try (PreparedStatement insert = connection.prepareStatement(sql)) {
      for (int i = 0; i < ids.size(); i++) {
        insert.setLong(i + 1, ids.get(i));
      }
      insert.executeUpdate();
    }
  }

  private Map<Long, Integer> select(HikariDataSource pool, List<Long> ids) {
    statements.increment();
    String sql =
        "SELECT id, balance FROM account WHERE id IN (?" + ", ?".repeat(ids.size() - 1) + ")";
    Map<Long, Integer> found = new HashMap<>();
    try (Connection connection = pool.getConnection();
        PreparedStatement select = connection.prepareStatement(sql)) {
      for (int i = 0; i < ids.size(); i++) {
        select.setLong(i + 1, ids.get(i));
      }
      try (ResultSet result = select.executeQuery()) {
        while (result.next()) {
          found.put(result.getLong(1), result.getInt(2));
        }
      }
      return found;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String millis(long[] ascending, double part) {
    return String.format(
        Locale.ROOT, "%.4f", ascending[(int) Math.ceil(part * ascending.length) - 1] / 1e6);
  }
}
