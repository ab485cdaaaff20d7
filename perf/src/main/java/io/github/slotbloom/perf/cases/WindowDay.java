package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Measurement;
import io.github.slotbloom.perf.Opened;
import io.github.slotbloom.perf.measure.Better;
import io.github.slotbloom.perf.measure.CallTimes;
import io.github.slotbloom.perf.measure.Comparison;
import io.github.slotbloom.perf.measure.Contest;
import io.github.slotbloom.perf.measure.Goal;
import io.github.slotbloom.perf.measure.Series;
import io.github.slotbloom.perf.measure.Trial;
import io.github.slotbloom.perf.peer.PartitionedWindow;
import io.github.slotbloom.perf.peer.PurgedWindow;
import io.github.slotbloom.perf.peer.SlotbloomWindow;
import io.github.slotbloom.perf.peer.WindowKeys;
import io.github.slotbloom.perf.report.CaseReport;
import io.github.slotbloom.perf.report.Figures;
import io.github.slotbloom.perf.report.Table;
import io.github.slotbloom.perf.server.DatabaseServer;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Days of keys that expire after a week, from midday to midday, beside tables of hashes. Time is
 * simulated. The days before those that count fill the window.
 */
public final class WindowDay implements Measurement {

  private static final String SCHEMA = "perf_window_day";
  private static final int FILLING = WindowKeys.DAYS + 2;

  /** So many rows are in a range of the primary key from which is deleted at once. */
  private static final int ROWS_A_BATCH = 10_000;

  private static final long A_SECOND = 1_000_000_000;
  private static final String AFTER = ", the second after midnight";
  private static final String BEFORE = ", the second before";

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    DatabaseServer database = bench.database();
    database.emptySchema(SCHEMA);
    int rounds = 2 * bench.scale().rounds();
    LocalDate first = LocalDate.now(ZoneOffset.UTC).minusDays(FILLING + rounds + 2L);
    int keysADay = bench.scale().windowKeysADay();
    WindowTraffic traffic = new WindowTraffic(keysADay, report.checks());
    long live = traffic.newKeys(WindowKeys.DAYS + 1);
    int ranges = Integer.highestOneBit(Math.toIntExact(Math.max(2, 2 * live / ROWS_A_BATCH)));
    try (Opened opened = new Opened()) {
      List<Days> all =
          List.of(
              new Days(
                  opened.keep(
                      new SlotbloomWindow(
                          database,
                          SCHEMA,
                          traffic.newKeys(WindowKeys.DAYS),
                          Peers.FALSE_POSITIVE_RATE,
                          first)),
                  traffic,
                  first),
              new Days(opened.keep(new PartitionedWindow(database, SCHEMA, first)), traffic, first),
              new Days(
                  opened.keep(new PurgedWindow(database, SCHEMA, ranges, first)), traffic, first));
      for (Days days : all) {
        days.add(traffic.firstHalf(0));
      }
      report.add(rates(all, rounds));
      report.add(bytes(all, live));
      report.add(edges(all));
      report.add(
          compared(
              "From midnight until what expired is gone and the next day prepared",
              "s",
              all.stream().map(days -> series(days, "", days.purgeSeconds)).toList(),
              List.of()));
      report.add(longest(all));
      for (Days days : all) {
        traffic.requireFirstDayNew(days.keys);
      }
    }
    database.dropSchema(SCHEMA);
    report.note(
        String.format(
            Locale.ROOT,
            "%d days of %,d keys, half of them new, the others of the last days; one caller, lists"
                + " of %,d without a pause, from midday to midday, after %d days that fill the"
                + " window. What expires is purged from midnight on while the caller adds. A day"
                + " is settled when that has ended, and all of ours is folded. The tables have"
                + " (hash, day) as primary key; each list is a SELECT of those that any day has,"
                + " and an INSERT of the others. DELETE goes through the primary key in %,d"
                + " ranges.",
            rounds,
            keysADay,
            WindowTraffic.KEYS_A_LIST,
            FILLING,
            ranges));
  }

  private static Comparison rates(List<Days> all, int rounds) throws Exception {
    Contest contest = new Contest("Keys of a day", "keys/s", Better.HIGHER);
    String settled = ", settled";
    for (Days days : all) {
      contest.enter(
          days.name(), days.name() + settled, days.keys.durability(), days::fromMiddayToMidday);
    }
    for (Days peer : all.subList(1, all.size())) {
      contest.goal(peer.name(), 4, "4 times as many");
      contest.goal(
          all.get(0).name() + settled, peer.name() + settled, 4, "4 times as many, settled");
    }
    return contest.run(FILLING, rounds);
  }

  private static Comparison bytes(List<Days> all, long live) throws Exception {
    List<Series> series = new ArrayList<>();
    for (Days days : all) {
      series.add(series(days, "", List.of((double) days.keys.bytes() / live)));
    }
    List<Goal> goals =
        all.subList(1, all.size()).stream()
            .map(peer -> new Goal(all.get(0).name(), peer.name(), 8, "at most an eighth"))
            .toList();
    return compared(
        String.format(Locale.ROOT, "Tables, by the %,d keys of all days that count", live),
        "bytes/key",
        series,
        goals);
  }

  private static Comparison edges(List<Days> all) {
    List<Series> series = new ArrayList<>();
    for (Days days : all) {
      series.add(series(days, AFTER, days.p99After));
      series.add(series(days, BEFORE, days.p99Before));
    }
    String ours = all.get(0).name();
    return compared(
        "p99 of the lists in a second",
        "ms",
        series,
        List.of(new Goal(ours + AFTER, ours + BEFORE, 0.5, "at most twice")));
  }

  private static Comparison compared(
      String title, String unit, List<Series> series, List<Goal> goals) {
    return new Comparison(title, unit, Better.LOWER, series, goals);
  }

  private static Series series(Days days, String suffix, List<Double> figures) {
    return new Series(
        days.name() + suffix, "", figures.stream().mapToDouble(Double::doubleValue).toArray());
  }

  private static Table longest(List<Days> all) {
    return new Table(
        "The longest list from midnight to midday, in milliseconds",
        List.of("", "of the median day", "of all days"),
        all.stream()
            .map(
                days -> {
                  double[] sorted =
                      days.longest.stream().mapToDouble(one -> one).sorted().toArray();
                  return List.of(
                      days.name(),
                      Figures.of(sorted[sorted.length / 2]),
                      Figures.of(sorted[sorted.length - 1]));
                })
            .toList());
  }

  /** The days of one contestant, one after the other. */
  private static final class Days {
    private final WindowKeys keys;
    private final WindowTraffic traffic;
    private final LocalDate first;
    private final List<Double> purgeSeconds = new ArrayList<>();
    private final List<Double> p99After = new ArrayList<>();
    private final List<Double> p99Before = new ArrayList<>();
    private final List<Double> longest = new ArrayList<>();

    Days(WindowKeys keys, WindowTraffic traffic, LocalDate first) {
      this.keys = keys;
      this.traffic = traffic;
      this.first = first;
    }

    String name() {
      return keys.name();
    }

    Trial.Two fromMiddayToMidday(int day) throws Exception {
      List<List<String>> before = traffic.secondHalf(day);
      List<List<String>> after = traffic.firstHalf(day + 1);
      long begun = System.nanoTime();
      CallTimes evening = add(before);
      long midnight = System.nanoTime();
      CompletableFuture<Double> purge =
          CompletableFuture.supplyAsync(() -> begin(first.plusDays(day + 1L)));
      CallTimes morning = add(after);
      double seconds = secondsSince(begun);
      double purged = purge.join();
      keys.settle();
      double settled = secondsSince(begun);
      if (day >= FILLING) {
        purgeSeconds.add(purged);
        p99Before.add(evening.percentile(midnight - A_SECOND, midnight, 0.99));
        p99After.add(morning.percentile(midnight, midnight + A_SECOND, 0.99));
        longest.add(morning.percentile(midnight, System.nanoTime(), 1));
      }
      long count = (long) WindowTraffic.KEYS_A_LIST * (before.size() + after.size());
      return new Trial.Two(count / seconds, count / settled);
    }

    private double begin(LocalDate day) {
      long begun = System.nanoTime();
      try {
        keys.begin(day);
      } catch (Exception e) {
        throw new CompletionException(e);
      }
      return secondsSince(begun);
    }

    CallTimes add(List<List<String>> lists) throws Exception {
      WindowTraffic.Answers answers = traffic.new Answers(keys);
      CallTimes times = new CallTimes(lists.size());
      for (List<String> list : lists) {
        long begun = System.nanoTime();
        answers.count(keys.addEach(list));
        times.add(begun, System.nanoTime());
      }
      answers.check();
      return times;
    }

    private static double secondsSince(long begun) {
      return (System.nanoTime() - begun) / 1e9;
    }
  }
}
