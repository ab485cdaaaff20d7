package io.github.slotbloom.perf.cases;

import io.github.slotbloom.core.Layout;
import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Measurement;
import io.github.slotbloom.perf.Scale;
import io.github.slotbloom.perf.measure.Better;
import io.github.slotbloom.perf.measure.Comparison;
import io.github.slotbloom.perf.measure.Goal;
import io.github.slotbloom.perf.measure.Series;
import io.github.slotbloom.perf.peer.CountingTableKeys;
import io.github.slotbloom.perf.peer.RedisCuckooKeys;
import io.github.slotbloom.perf.report.CaseReport;
import io.github.slotbloom.perf.report.Figures;
import io.github.slotbloom.perf.report.Table;
import io.github.slotbloom.perf.server.DatabaseServer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Measures what filters take from which keys can be removed: bits a key in memory, and bytes a key
 * in the database. Ours grows with the keys that are removed, until it is rebuilt.
 */
public final class RemovalSpace implements Measurement {

  private static final String SCHEMA = "perf_removal_space";
  private static final double[] FALSE_POSITIVE_RATES = {1e-2, 1e-4, 1e-6, 1e-9};
  private static final double[] QUICK_FALSE_POSITIVE_RATES = {1e-2};
  private static final double LESS_THAN_COUNTING = 3.5;

  /** The shares of the capacity whose removal is counted in. */
  private static final double[] REMOVED = {0.01, 0.1, 0.25, 1};

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    Scale scale = bench.scale();
    DatabaseServer database = bench.database();
    List<List<String>> totals = new ArrayList<>();
    List<List<String>> qualities = new ArrayList<>();
    Optional<RemovableSpace> removed = Optional.empty();
    for (double falsePositiveRate :
        scale.isQuick() ? QUICK_FALSE_POSITIVE_RATES : FALSE_POSITIVE_RATES) {
      database.emptySchema(SCHEMA);
      Map<Layout, RemovableSpace> ours =
          RemovableSpace.ofKeys(bench, SCHEMA, falsePositiveRate, report.checks());
      if (removed.isEmpty()) {
        // Whatever the false positive rate and the layout, a removed key takes the same.
        removed = Optional.of(RemovableSpace.ofRemovedKeys(bench, SCHEMA, report.checks()));
      }
      Comparison memory = memory(ours, falsePositiveRate, scale);
      Comparison tables = tables(database, ours, falsePositiveRate, scale);
      report.add(memory);
      report.add(tables);
      totals.addAll(totals("bits in memory", falsePositiveRate, memory, removed.get().bits()));
      totals.addAll(totals("bytes in MySQL", falsePositiveRate, tables, removed.get().bytes()));
      for (MemoryPeers peer : MemoryPeers.values()) {
        qualities.add(quality(peer, falsePositiveRate, scale));
      }
    }
    database.dropSchema(SCHEMA);
    report.add(totals(totals));
    report.add(
        new Table(
            String.format(
                Locale.ROOT,
                "Answers of the filters in memory, %,d keys in filters with that capacity",
                scale.removalKeys()),
            List.of("", "made for", "absent keys seen", "added, not found", "added, not removed"),
            qualities));
    redis(bench, report);
  }

  private static Comparison memory(
      Map<Layout, RemovableSpace> ours, double falsePositiveRate, Scale scale) throws Exception {
    int keys = scale.removalMemoryKeys();
    List<Series> series = new ArrayList<>();
    List<Goal> goals = new ArrayList<>();
    ours.forEach(
        (layout, space) -> {
          series.add(single(name(layout), space.bits()));
          goals.add(
              new Goal(
                  name(layout),
                  MemoryPeers.HADOOP.title(),
                  LESS_THAN_COUNTING,
                  layout + " 3.5 times less"));
        });
    Iterator<Long> heaps = HeapOfFilter.peers(keys, falsePositiveRate).iterator();
    for (MemoryPeers peer : MemoryPeers.values()) {
      series.add(single(peer.title(), 8.0 * heaps.next() / keys));
    }
    return new Comparison(
        String.format(
            Locale.ROOT,
            "Memory of filters for %,d keys, false positive rate %s",
            keys,
            falsePositiveRate),
        "bits/key",
        Better.LOWER,
        series,
        goals);
  }

  private static Comparison tables(
      DatabaseServer database,
      Map<Layout, RemovableSpace> ours,
      double falsePositiveRate,
      Scale scale)
      throws Exception {
    int keys = scale.removalTableKeys();
    String table = "counters";
    List<Series> series = new ArrayList<>();
    ours.forEach((layout, space) -> series.add(single(name(layout), space.bytes())));
    try (CountingTableKeys peer =
        new CountingTableKeys(database, SCHEMA, table, keys, falsePositiveRate)) {
      peer.fill(keys);
      series.add(single(peer.name(), (double) database.tableBytes(SCHEMA, table) / keys));
    }
    return new Comparison(
        String.format(
            Locale.ROOT, "Tables of %,d keys, false positive rate %s", keys, falsePositiveRate),
        "bytes/key",
        Better.LOWER,
        series,
        List.of());
  }

  private static String name(Layout layout) {
    return "Slotbloom, " + layout;
  }

  private static Series single(String name, double value) {
    return new Series(name, "", new double[] {value});
  }

  /** Compares ours with the counting filter, the first of the peers, while keys are removed. */
  private static List<List<String>> totals(
      String what, double falsePositiveRate, Comparison comparison, double each) {
    double counting =
        comparison.series().stream()
            .filter(one -> !one.isOurs())
            .findFirst()
            .orElseThrow()
            .values()[0];
    return comparison.series().stream()
        .filter(Series::isOurs)
        .map(
            one -> {
              double ours = one.values()[0];
              List<String> cells = new ArrayList<>();
              cells.add(one.name() + ", " + what);
              cells.add(Double.toString(falsePositiveRate));
              cells.add(Figures.of(each));
              cells.add(Figures.of(ours));
              for (double share : REMOVED) {
                cells.add(Figures.of(ours + share * each));
              }
              cells.add(Figures.of(counting));
              cells.add(share(counting / LESS_THAN_COUNTING - ours, each));
              cells.add(share(counting - ours, each));
              return cells;
            })
        .toList();
  }

  private static String share(double room, double each) {
    if (room < 0) {
      return "never";
    }
    return room >= each ? "always" : Figures.percent(room / each);
  }

  private static Table totals(List<List<String>> rows) {
    List<String> header =
        new ArrayList<>(List.of("", "false positive rate", "a removed key", "0 %"));
    for (double share : REMOVED) {
      header.add(Figures.of(100 * share) + " %");
    }
    header.add("counting");
    header.add("3.5 times less up to");
    header.add("less up to");
    return new Table(
        "What ours takes a key when so much of the capacity is removed, computed from the figures"
            + " above",
        header,
        rows);
  }

  private static List<String> quality(MemoryPeers peer, double falsePositiveRate, Scale scale) {
    int keys = scale.removalKeys();
    List<String> cells = new ArrayList<>(List.of(peer.title(), Double.toString(falsePositiveRate)));
    cells.addAll(
        FilterQuality.of(peer.create(keys, falsePositiveRate), keys, scale.absentKeys()).cells());
    return cells;
  }

  private static void redis(Bench bench, CaseReport report) {
    int keys = bench.scale().removalMemoryKeys();
    bench
        .redisBloom()
        .ifPresent(
            address -> {
              try (RedisCuckooKeys peer = new RedisCuckooKeys(address, SCHEMA, keys)) {
                report.note(
                    String.format(
                        Locale.ROOT,
                        "RedisBloom CF for %,d keys: %s bits a key, false positive rate %s.",
                        keys,
                        Figures.of(8.0 * peer.bytes() / keys),
                        Figures.percent(peer.falsePositiveRate())));
              }
            });
  }
}
