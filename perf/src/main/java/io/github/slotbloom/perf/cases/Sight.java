package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Measurement;
import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.peer.SlotbloomKeys;
import io.github.slotbloom.perf.report.CaseReport;
import io.github.slotbloom.perf.report.Figures;
import io.github.slotbloom.perf.report.Table;
import io.github.slotbloom.perf.server.DatabaseServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Measures how long it takes until one instance sees a key that another one added. Each has its own
 * pool.
 */
public final class Sight implements Measurement {

  private static final String SCHEMA = "perf_sight";
  private static final List<Duration> BOUNDS =
      List.of(Duration.ofMillis(10), Duration.ofMillis(100), Duration.ofSeconds(1));

  /** The longest wait. It exceeds every bound and covers a server that is busy for a while. */
  private static final long AT_MOST_NANOS = Duration.ofSeconds(20).toNanos();

  private static final int WARM_UPS = 5;

  private long nextKey;

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    DatabaseServer database = bench.database();
    database.emptySchema(SCHEMA);
    List<List<String>> rows = new ArrayList<>();
    try (SlotbloomKeys adding = Peers.ours(database, SCHEMA, 1_000_000)) {
      try (SlotbloomKeys asking = SlotbloomKeys.strict(database, SCHEMA, "seen")) {
        rows.add(measure(adding, asking, bench.scale().sights(), report));
      }
      for (Duration bound : BOUNDS) {
        try (SlotbloomKeys asking = SlotbloomKeys.bounded(database, SCHEMA, "seen", bound)) {
          rows.add(measure(adding, asking, bench.scale().sights(), report));
        }
      }
    }
    database.dropSchema(SCHEMA);
    report.add(
        new Table(
            "Milliseconds from the return of `add` to the first yes",
            List.of("who asks", "median", "95 %", "greatest", "lookups until then, median"),
            rows));
  }

  private List<String> measure(
      SlotbloomKeys adding, SlotbloomKeys asking, int sights, CaseReport report) {
    double[] millis = new double[sights];
    double[] lookups = new double[sights];
    for (int i = -WARM_UPS; i < sights; i++) {
      String key = Keys.text(nextKey++);
      adding.filter().add(key);
      long begun = System.nanoTime();
      long asked = 1;
      boolean seen = asking.filter().mightContain(key);
      while (!seen && System.nanoTime() - begun < AT_MOST_NANOS) {
        asked++;
        seen = asking.filter().mightContain(key);
      }
      double took = (System.nanoTime() - begun) / 1e6;
      report.checks().expect(seen, "%s did not see key %d", asking.name(), nextKey - 1);
      if (asking.name().endsWith("strict")) {
        report.checks().expect(asked == 1, "A strict lookup was answered with no too late");
      }
      if (i >= 0) {
        millis[i] = took;
        lookups[i] = asked;
      }
    }
    Arrays.sort(millis);
    Arrays.sort(lookups);
    return List.of(
        asking.name(),
        Figures.of(millis[sights / 2]),
        Figures.of(millis[(int) (sights * 0.95)]),
        Figures.of(millis[sights - 1]),
        Figures.of(lookups[sights / 2]));
  }
}
