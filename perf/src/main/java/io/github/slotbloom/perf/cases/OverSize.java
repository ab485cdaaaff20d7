package io.github.slotbloom.perf.cases;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Measurement;
import io.github.slotbloom.perf.Scale;
import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.peer.SlotbloomKeys;
import io.github.slotbloom.perf.peer.StoredFilter;
import io.github.slotbloom.perf.report.CaseReport;
import io.github.slotbloom.perf.report.CurveBuilder;
import io.github.slotbloom.perf.report.Figures;
import io.github.slotbloom.perf.report.Table;
import io.github.slotbloom.perf.server.DatabaseAccount;
import io.github.slotbloom.perf.server.DatabaseServer;
import java.util.ArrayList;
import java.util.List;

/** Measures rates and sizes of filters as they grow. */
public final class OverSize implements Measurement {

  private static final String SCHEMA = "perf_over_size";
  private static final String FILTER = "seen";
  private static final int THREADS = 64;
  private static final int BATCH = 1_000;

  /**
   * The filters hold n keys at first, and have room for the keys that are added during the
   * measurement.
   */
  private static final int WARM_UPS_AND_POINTS = 2;

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    CurveBuilder rates =
        CurveBuilder.logarithmic(
            "rates-over-size",
            "Rates of filters that hold n keys",
            "keys in the filter",
            "per second");
    CurveBuilder load =
        CurveBuilder.logarithmic(
            "load-over-size", "Opening a filter", "keys in the filter", "seconds");
    List<List<String>> rows = new ArrayList<>();
    for (long keys : bench.scale().sizes()) {
      measure(bench, keys, report, rates, load, rows);
    }
    report.add(rates.build());
    report.add(load.build());
    report.add(
        new Table(
            "Size of the slot table, written in the order of its slots",
            List.of("keys", "bits a key", "database bytes a key"),
            rows));
    report.note(
        "The case `storage` tells how large a table is that folding wrote, which splits pages.");
  }

  private static void measure(
      Bench bench,
      long keys,
      CaseReport report,
      CurveBuilder rates,
      CurveBuilder load,
      List<List<String>> rows)
      throws Exception {
    Scale scale = bench.scale();
    DatabaseServer database = bench.database();
    DatabaseAccount account = database.emptySchema(SCHEMA);
    int batchKeys = scale.keysPerTrial() / 5;
    long room =
        WARM_UPS_AND_POINTS
            * (batchKeys + (long) (200_000 * (scale.curvePoint().toMillis() / 1000.0)));
    try (HikariDataSource pool = account.pool(8);
        SlotBloom bloom = SlotBloom.on(pool)) {
      bloom.migrate();
      bloom.reserve(FILTER, SlotbloomKeys.spec(keys + room, Peers.FALSE_POSITIVE_RATE)).close();
      new SlotFill<>(KeyType.text(), Keys::text).fill(account, FILTER, keys);
      StoredFilter stored = StoredFilter.read(account, FILTER);
      rows.add(
          List.of(
              Figures.of(keys),
              Figures.of((double) stored.parameters().bits() / (keys + room)),
              Figures.of((double) database.tableBytes(SCHEMA, stored.slotTable()) / keys)));
      long begun = System.nanoTime();
      try (BloomFilter<String> opened = bloom.open(FILTER, KeyType.text())) {
        load.point("Slotbloom open", keys, (System.nanoTime() - begun) / 1e9);
      }
    }
    List<String> absent = Keys.texts(Keys.ABSENT, Peers.ABSENT_KEYS);
    try (SlotbloomKeys strict = SlotbloomKeys.strict(database, SCHEMA, FILTER);
        SlotbloomKeys bounded = SlotbloomKeys.bounded(database, SCHEMA, FILTER, Peers.BOUND)) {
      for (SlotbloomKeys one : List.of(bounded, strict)) {
        try (CrowdOfCallers crowd =
            new CrowdOfCallers(one, report.checks(), THREADS, scale.curvePoint(), 1)) {
          crowd.ask(absent);
          rates.point(
              "mightContain, " + one.name().replace("Slotbloom, ", ""), keys, crowd.ask(absent));
        }
      }
      try (CrowdOfCallers crowd =
          new CrowdOfCallers(strict, report.checks(), THREADS, scale.curvePoint(), 1)) {
        crowd.add();
        strict.settle();
        rates.point("add, 64 threads", keys, crowd.add());
        strict.settle();
      }
      try (Batches batches =
          new Batches(strict, report.checks(), BATCH, batchKeys, scale.trial(), keys)) {
        batches.trial();
        strict.settle();
        rates.point("addEach, 1,000 a call, one caller", keys, batches.trial());
        batches.requireFound();
      }
    }
    database.dropSchema(SCHEMA);
  }
}
