package io.github.slotbloom.perf.cases;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Measurement;
import io.github.slotbloom.perf.measure.Better;
import io.github.slotbloom.perf.measure.Checks;
import io.github.slotbloom.perf.measure.Comparison;
import io.github.slotbloom.perf.measure.Goal;
import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.measure.Series;
import io.github.slotbloom.perf.measure.SteadyCalls;
import io.github.slotbloom.perf.measure.SteadyCalls.Period;
import io.github.slotbloom.perf.peer.SimulatedClock;
import io.github.slotbloom.perf.report.CaseReport;
import io.github.slotbloom.perf.report.Figures;
import io.github.slotbloom.perf.report.Table;
import io.github.slotbloom.perf.server.DatabaseServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.DoubleUnaryOperator;

/**
 * Measures the waits of callers around the moments at which buckets of a window begin. The calls
 * come at a steady rate, from the process that begins the buckets, or from another one. The buckets
 * last some seconds, by the clock of the server.
 */
public final class WindowEdge implements Measurement {

  private static final String SCHEMA = "perf_window_edge";
  private static final String FILTER = "seen";
  private static final int CONNECTIONS = 8;
  private static final int BUCKETS = 3;
  private static final int CALLERS = 4;
  private static final int ADDS_PER_SECOND = 200;
  private static final int LOOKUPS_PER_SECOND = 500;

  /** After so many buckets each one that begins drops a table. */
  private static final int WARM_UPS = BUCKETS + 2;

  /** The clock of the other process is ahead, so that it begins each bucket. */
  private static final Duration AHEAD = Duration.ofMillis(300);

  /** A process with a clock that is a little late finds its bucket over as well. */
  private static final double MARGIN_SECONDS = 0.02;

  /** So many keys are asked for that were added last. */
  private static final int MOST_RECENT = 50;

  private static final double LOAD_AFTER_SECONDS = 1;
  private static final double SECONDS_BEFORE = 1.5;

  /** Where the numbers of the keys begin that fill the buckets. */
  private static final long FILLING = 1L << 40;

  private static final long OF_OTHER = 1L << 41;
  private static final String AROUND = "the second around it";
  private static final String BEFORE = "the second and a half before";

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    DatabaseServer database = bench.database();
    for (boolean other : new boolean[] {false, true}) {
      database.emptySchema(SCHEMA);
      try (Run run = new Run(bench, report, other)) {
        run.measure();
      }
    }
    database.dropSchema(SCHEMA);
    report.note(
        String.format(
            Locale.ROOT,
            "A window of %d buckets of %d s. %d threads that add %d keys a second together, and as"
                + " many that ask %d strict lookups, half of them of keys that were just added."
                + " Each bucket is filled with %,d keys a second after it began. From the %dth on"
                + " each one that begins drops a table. The rounds are the %d buckets after that."
                + " The other process has a clock that is %d ms ahead, and adds a key as soon as"
                + " that enters a bucket.",
            BUCKETS,
            bench.scale().bucketSeconds(),
            CALLERS,
            ADDS_PER_SECOND,
            LOOKUPS_PER_SECOND,
            filling(bench),
            WARM_UPS,
            bench.scale().rotations(),
            AHEAD.toMillis()));
  }

  private static int filling(Bench bench) {
    return bench.scale().falsePositiveRateKeys() / 10;
  }

  /** The calls of a kind and how many of them were answered with yes. */
  private static final class Outcomes {
    private final LongAdder made = new LongAdder();
    private final LongAdder yes = new LongAdder();

    void count(boolean answer) {
      made.increment();
      if (answer) {
        yes.increment();
      }
    }
  }

  /** One window, with its callers, and who begins its buckets. */
  private static final class Run implements AutoCloseable {
    private final Bench bench;
    private final CaseReport report;
    private final boolean byOther;
    private final Window window;
    private final HikariDataSource callersPool;
    private final HikariDataSource othersPool;
    private final SlotBloom callers;
    private final SlotBloom other;
    private final Outcomes adds = new Outcomes();
    private final Outcomes present = new Outcomes();
    private final Outcomes absent = new Outcomes();
    private final List<Double> edges = new ArrayList<>();
    private final List<Long> addedAtBegin = new ArrayList<>();
    private long begunNanos;

    Run(Bench bench, CaseReport report, boolean byOther) throws Exception {
      this.bench = bench;
      this.report = report;
      this.byOther = byOther;
      window =
          new Window(
              Duration.ofSeconds((long) BUCKETS * bench.scale().bucketSeconds()), BUCKETS, false);
      callersPool = bench.database().account(SCHEMA).pool(CONNECTIONS);
      othersPool = bench.database().account(SCHEMA).pool(CONNECTIONS);
      callers = SlotBloom.on(callersPool);
      other =
          SlotBloom.on(
              new SimulatedClock(othersPool, () -> Instant.now().plus(AHEAD)).dataSource());
    }

    void measure() throws Exception {
      callers.migrate();
      BloomFilter<String> filter =
          callers.reserve(
              FILTER,
              FilterSpec.builder(KeyType.text())
                  .capacity((long) BUCKETS * bench.scale().falsePositiveRateKeys())
                  .falsePositiveRate(Peers.FALSE_POSITIVE_RATE)
                  .onFull(OnFull.DEGRADE)
                  .window(window.length(), BUCKETS)
                  .build());
      BloomFilter<String> others = other.open(FILTER, KeyType.text());
      Instant begun = Instant.now();
      begunNanos = System.nanoTime();
      SteadyCalls adding =
          SteadyCalls.begin(
              begunNanos,
              CALLERS,
              ADDS_PER_SECOND,
              number -> adds.count(filter.add(Keys.text(number))));
      SteadyCalls asking =
          SteadyCalls.begin(
              begunNanos,
              CALLERS,
              LOOKUPS_PER_SECOND,
              number -> ask(filter, number, adding.made()));
      try (adding;
          asking) {
        for (int i = 0; i < WARM_UPS + bench.scale().rotations(); i++) {
          bucket(i, begun, adding, filter, others);
        }
        awaitSecond(edges.get(edges.size() - 1) + bench.scale().bucketSeconds() / 2.0);
        checkExpiry(filter, adding.made());
      }
      check();
      report("add", adding);
      report("mightContain", asking);
    }

    /** Asks for one of the keys that were added last, and in turns for one that never was. */
    private void ask(BloomFilter<String> filter, long number, long added) {
      if (number % 2 == 0 && added > 0) {
        long age = 1 + number % Math.min(added, MOST_RECENT);
        present.count(filter.mightContain(Keys.text(added - age)));
      } else {
        absent.count(filter.mightContain(Keys.text(Keys.ABSENT + number)));
      }
    }

    /** Awaits the begin of the i-th bucket from now, and fills it. */
    private void bucket(
        int i,
        Instant begun,
        SteadyCalls adding,
        BloomFilter<String> filter,
        BloomFilter<String> others)
        throws Exception {
      long bucket = window.bucketAt(TimeUnit.MILLISECONDS.toMicros(begun.toEpochMilli())) + 1 + i;
      double edge = (window.begin(bucket).toEpochMilli() - begun.toEpochMilli()) / 1e3;
      if (byOther) {
        edge -= AHEAD.toMillis() / 1e3;
      }
      awaitSecond(edge);
      addedAtBegin.add(adding.made());
      if (byOther) {
        awaitSecond(edge + MARGIN_SECONDS);
        others.add(Keys.text(OF_OTHER + i));
        report.checks().expect(newestBucket() == bucket, "The other did not begin bucket %d", i);
      }
      if (i >= WARM_UPS) {
        edges.add(edge);
      }
      awaitSecond(edge + LOAD_AFTER_SECONDS);
      long count = filling(bench);
      for (List<String> some : Keys.inParts(FILLING + i * count, count)) {
        filter.addEach(some);
      }
    }

    private long newestBucket() throws SQLException {
      try (Connection connection = callersPool.getConnection();
          Statement statement = connection.createStatement();
          ResultSet row = statement.executeQuery("SELECT bucket FROM bloom_filter")) {
        row.next();
        return row.getLong(1);
      }
    }

    private void awaitSecond(double second) {
      while ((System.nanoTime() - begunNanos) / 1e9 < second) {
        LockSupport.parkNanos(1_000_000);
      }
    }

    private void check() {
      Checks checks = report.checks();
      checks.newKeys(who(), adds.made.sum(), adds.yes.sum(), Peers.FALSE_POSITIVE_RATE);
      checks.found(who(), present.made.sum(), present.yes.sum());
      checks.absent(who(), absent.made.sum(), absent.yes.sum(), Peers.FALSE_POSITIVE_RATE);
    }

    /** Looks for keys of the last two buckets, and for those that expired. */
    private void checkExpiry(BloomFilter<String> filter, long added) {
      int last = addedAtBegin.size() - 1;
      Outcomes live = asked(filter, addedAtBegin.get(last - 1), added);
      report.checks().found(who(), live.made.sum(), live.yes.sum());
      Outcomes expired = asked(filter, 0, addedAtBegin.get(last - BUCKETS));
      report
          .checks()
          .absent(
              who() + ", expired",
              expired.made.sum(),
              expired.yes.sum(),
              Peers.FALSE_POSITIVE_RATE);
    }

    private static Outcomes asked(BloomFilter<String> filter, long from, long to) {
      Outcomes outcomes = new Outcomes();
      for (long number = from; number < to; number++) {
        outcomes.count(filter.mightContain(Keys.text(number)));
      }
      return outcomes;
    }

    private String who() {
      return byOther ? "Slotbloom, another process begins" : "Slotbloom";
    }

    private void report(String call, SteadyCalls calls) {
      String begins =
          "`"
              + call
              + "` while "
              + (byOther ? "another process begins" : "it begins")
              + " a bucket";
      List<Period> before = periods(edge -> edge - 0.5 - SECONDS_BEFORE, SECONDS_BEFORE);
      List<Period> around = periods(edge -> edge - 0.5, 1);
      report.add(
          new Comparison(
              "p99 of " + begins,
              "ms",
              Better.LOWER,
              List.of(p99(AROUND, around, calls), p99(BEFORE, before, calls)),
              List.of(new Goal(AROUND, BEFORE, 0.5, "at most twice"))));
      report.add(
          new Table(
              begins + ", all buckets together, milliseconds after it was due",
              List.of("", "p50", "p99", "p99.9", "longest"),
              List.of(row(BEFORE, before, calls), row(AROUND, around, calls))));
    }

    private List<Period> periods(DoubleUnaryOperator from, double seconds) {
      return edges.stream()
          .map(from::applyAsDouble)
          .map(second -> new Period(second, second + seconds))
          .toList();
    }

    private static Series p99(String name, List<Period> periods, SteadyCalls calls) {
      return new Series(
          name,
          "",
          periods.stream()
              .mapToDouble(period -> calls.percentile(List.of(period), 0.99))
              .toArray());
    }

    private static List<String> row(String name, List<Period> periods, SteadyCalls calls) {
      List<String> row = new ArrayList<>();
      row.add(name);
      for (double part : new double[] {0.5, 0.99, 0.999, 1}) {
        row.add(Figures.of(calls.percentile(periods, part)));
      }
      return row;
    }

    @Override
    public void close() {
      callers.close();
      other.close();
      callersPool.close();
      othersPool.close();
    }
  }
}
