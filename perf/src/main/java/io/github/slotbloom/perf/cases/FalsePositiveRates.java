package io.github.slotbloom.perf.cases;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.Freshness;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Measurement;
import io.github.slotbloom.perf.measure.Checks;
import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.report.CaseReport;
import io.github.slotbloom.perf.report.CurveBuilder;
import io.github.slotbloom.perf.report.Figures;
import io.github.slotbloom.perf.report.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Compares the false positive rate of full filters with their target. */
public final class FalsePositiveRates implements Measurement {

  private static final String SCHEMA = "perf_false_positive_rates";
  private static final double[] TARGETS = {0.1, 0.01, 0.001, 0.0001};

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    int keys = bench.scale().falsePositiveRateKeys();
    int absent = bench.scale().absentKeys();
    List<List<String>> rows = new ArrayList<>();
    CurveBuilder curve =
        CurveBuilder.logarithmic(
            "false-positive-rate",
            String.format(Locale.ROOT, "%,d keys in a filter with that capacity", keys),
            "target false positive rate",
            "measured false positive rate");
    try (HikariDataSource pool = bench.database().emptySchema(SCHEMA).pool(4);
        SlotBloom bloom = SlotBloom.on(pool)) {
      bloom.migrate();
      for (Layout layout : Layout.values()) {
        for (double target : TARGETS) {
          double measured = measure(bloom, layout, target, keys, absent, report.checks(), rows);
          curve.point(layout.name(), target, Math.max(measured, 0.5 / absent));
        }
      }
    }
    for (double target : TARGETS) {
      curve.point("target", target, target);
    }
    bench.database().dropSchema(SCHEMA);
    report.add(
        new Table(
            String.format(
                Locale.ROOT, "%,d absent keys asked for, %,d keys in the filter", absent, keys),
            List.of("layout", "target", "expected", "measured", "bits a key", "hashes"),
            rows));
    report.add(curve.build());
    report.note(
        "The filters are fixed in size. One that may grow has half its target for the first"
            + " generation.");
  }

  private static double measure(
      SlotBloom bloom,
      Layout layout,
      double target,
      int keys,
      int absent,
      Checks checks,
      List<List<String>> rows) {
    String name = layout.name().toLowerCase(Locale.ROOT) + "_" + Math.round(-Math.log10(target));
    FilterSpec<String> spec =
        FilterSpec.builder(KeyType.text())
            .capacity(keys)
            .falsePositiveRate(target)
            .layout(layout)
            .fixed()
            .build();
    FilterOptions bounded =
        FilterOptions.defaults().freshness(Freshness.bounded(Duration.ofSeconds(2)));
    try (BloomFilter<String> filter = bloom.reserve(name, spec, bounded)) {
      long found = 0;
      for (List<String> some : Keys.inParts(0, keys)) {
        filter.addEach(some);
        found += count(filter.mightContainEach(some));
      }
      checks.found(name, keys, found);
      long seen = 0;
      for (List<String> some : Keys.inParts(Keys.ABSENT, absent)) {
        seen += count(filter.mightContainEach(some));
      }
      checks.absent(name, absent, seen, target);
      // This fold waits behind others, so that the next filter has the server to itself.
      bloom.admin(filter.name()).fold();
      var generation = bloom.info(filter.name()).generations().get(0);
      var parameters = new BloomParameters(layout, generation.bits(), generation.hashes());
      rows.add(
          List.of(
              layout.name(),
              Double.toString(target),
              Figures.percent(Sizing.expectedFalsePositiveRate(parameters, keys)),
              Figures.percent((double) seen / absent),
              Figures.of((double) generation.bits() / keys),
              Integer.toString(generation.hashes())));
      return (double) seen / absent;
    }
  }

  private static long count(boolean[] answers) {
    long yes = 0;
    for (boolean answer : answers) {
      yes += answer ? 1 : 0;
    }
    return yes;
  }
}
