package io.github.slotbloom.perf.cases;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.ReplaceOptions;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Measurement;
import io.github.slotbloom.perf.measure.Better;
import io.github.slotbloom.perf.measure.Comparison;
import io.github.slotbloom.perf.measure.Goal;
import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.measure.Series;
import io.github.slotbloom.perf.measure.SteadyCalls;
import io.github.slotbloom.perf.report.CaseReport;
import io.github.slotbloom.perf.report.CurveBuilder;
import io.github.slotbloom.perf.report.Figures;
import io.github.slotbloom.perf.report.Table;
import io.github.slotbloom.perf.server.DatabaseServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;

/**
 * Measures the waits of callers before, while and after a filter grows, and before, while and after
 * a larger filter replaces it. The calls come at a steady rate from another process than the one
 * that grows the filter.
 */
public final class WhileGrowing implements Measurement {

  private static final String SCHEMA = "perf_growth";
  private static final String FILTER = "seen";
  private static final int CONNECTIONS = 8;
  private static final int CALLERS = 4;
  private static final int ADDS_PER_SECOND = 200;
  private static final int LOOKUPS_PER_SECOND = 500;

  /**
   * A phase lasts at least this long: a generation is created in a fraction of it, but a figure
   * needs several calls.
   */
  private static final double SHORTEST_SECONDS = 2;

  private static final String BEFORE = "before";
  private static final String GROWS = "while it gets a generation";
  private static final String BETWEEN = "between";
  private static final String REPLACED = "while it is replaced";
  private static final String AFTER = "after";

  private record Phase(String name, double from, double to) {
    Phase named(String itsName) {
      return new Phase(itsName, from, to);
    }
  }

  private interface Work {
    void run() throws Exception;
  }

  private long begunNanos;

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    int keys = bench.scale().falsePositiveRateKeys();
    double rest = 5 * bench.scale().trial().toMillis() / 1e3;
    DatabaseServer server = bench.database();
    server.emptySchema(SCHEMA);
    List<Phase> phases = new ArrayList<>();
    try (HikariDataSource callersPool = server.account(SCHEMA).pool(CONNECTIONS);
        HikariDataSource operatorsPool = server.account(SCHEMA).pool(CONNECTIONS);
        SlotBloom callers = SlotBloom.on(callersPool);
        SlotBloom operator = SlotBloom.on(operatorsPool)) {
      callers.migrate();
      BloomFilter<String> filter =
          callers.reserve(
              FILTER,
              FilterSpec.builder(KeyType.text()).capacity(keys).onFull(OnFull.DEGRADE).build());
      for (List<String> some : Keys.inParts(0, keys)) {
        filter.addEach(some);
      }
      callers.admin(FILTER).fold();
      begunNanos = System.nanoTime();
      SteadyCalls adds =
          SteadyCalls.begin(
              begunNanos, CALLERS, ADDS_PER_SECOND, number -> filter.add(Keys.text(keys + number)));
      SteadyCalls lookups =
          SteadyCalls.begin(
              begunNanos,
              CALLERS,
              LOOKUPS_PER_SECOND,
              number ->
                  filter.mightContain(
                      Keys.text(number % 2 == 0 ? number % keys : Keys.ABSENT + number)));
      try (adds;
          lookups) {
        // The first calls are slow because nothing is warm.
        phase(rest, () -> {});
        phases.add(phase(rest, () -> {}).named(BEFORE));
        phases.add(
            phase(SHORTEST_SECONDS, () -> operator.admin(FILTER).grow(2L * keys)).named(GROWS));
        phases.add(phase(rest, () -> {}).named(BETWEEN));
        phases.add(
            phase(
                    0,
                    () ->
                        operator
                            .admin(FILTER)
                            .replace(4L * keys, source(keys, adds), ReplaceOptions.defaults()))
                .named(REPLACED));
        phases.add(phase(rest, () -> {}).named(AFTER));
      }
      long added = keys + adds.made();
      long found = 0;
      for (List<String> some : Keys.inParts(0, added)) {
        for (boolean answer : filter.mightContainEach(some)) {
          found += answer ? 1 : 0;
        }
      }
      report.checks().found("Slotbloom", added, found);
      report
          .checks()
          .expect(operator.info(FILTER).generations().size() == 1, "more than one generation");
      report(phases, "add", adds, report);
      report(phases, "mightContain", lookups, report);
      double seconds = phases.get(3).to() - phases.get(3).from();
      report.note(
          String.format(
              Locale.ROOT,
              "%,d keys; %d threads that add %d keys a second together, and as many that ask %d"
                  + " lookups, half of them of absent keys. Replacing took %.0f s.",
              keys,
              CALLERS,
              ADDS_PER_SECOND,
              LOOKUPS_PER_SECOND,
              seconds));
    }
  }

  private static KeySource source(int keys, SteadyCalls adds) {
    return KeySource.of(
        "all keys",
        KeyType.text(),
        () -> LongStream.range(0, keys + adds.made()).mapToObj(Keys::text));
  }

  /** Measures a phase that lasts as long as the work, but at least this number of seconds. */
  private Phase phase(double seconds, Work work) throws Exception {
    double from = seconds();
    work.run();
    while (seconds() < from + seconds) {
      LockSupport.parkNanos(1_000_000);
    }
    return new Phase("", from, seconds());
  }

  private double seconds() {
    return (System.nanoTime() - begunNanos) / 1e9;
  }

  private static void report(
      List<Phase> phases, String call, SteadyCalls calls, CaseReport report) {
    List<List<String>> rows = new ArrayList<>();
    for (Phase phase : phases) {
      List<String> row = new ArrayList<>();
      row.add(phase.name());
      for (double part : new double[] {0.5, 0.99, 0.999}) {
        row.add(Figures.of(calls.percentile(phase.from(), phase.to(), part)));
      }
      row.add(Figures.of(phase.to() - phase.from()));
      rows.add(row);
    }
    report.add(
        new Table(
            "`" + call + "`, milliseconds after it was due",
            List.of("", "p50", "p99", "p99.9", "seconds"),
            rows));
    report.add(compared(call, GROWS, BEFORE, phases, calls));
    report.add(compared(call, REPLACED, BETWEEN, phases, calls));
    CurveBuilder curve =
        CurveBuilder.linear(
            "growth-" + call,
            String.format(
                Locale.ROOT,
                "%s; a generation at second %.0f, replaced from second %.0f to %.0f",
                call,
                phases.get(1).from(),
                phases.get(3).from(),
                phases.get(3).to()),
            "seconds",
            "milliseconds");
    for (double second = phases.get(0).from(); second + 1 < phases.get(4).to(); second++) {
      curve.point("p50", second, calls.percentile(second, second + 1, 0.5));
      curve.point("p99", second, calls.percentile(second, second + 1, 0.99));
    }
    report.add(curve.build());
  }

  private static Comparison compared(
      String call, String during, String before, List<Phase> phases, SteadyCalls calls) {
    return new Comparison(
        "p99 of `" + call + "` " + during,
        "ms",
        Better.LOWER,
        List.of(p99(during, phases, calls), p99(before, phases, calls)),
        List.of(new Goal(during, before, 0.5, "at most twice")));
  }

  private static Series p99(String name, List<Phase> phases, SteadyCalls calls) {
    Phase phase = phases.stream().filter(one -> one.name().equals(name)).findFirst().orElseThrow();
    return new Series(name, "", new double[] {calls.percentile(phase.from(), phase.to(), 0.99)});
  }
}
