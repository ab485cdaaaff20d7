package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Measurement;
import io.github.slotbloom.perf.measure.Checks;
import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.peer.SlotbloomWindow;
import io.github.slotbloom.perf.peer.WindowKeys;
import io.github.slotbloom.perf.report.CaseReport;
import io.github.slotbloom.perf.report.CurveBuilder;
import io.github.slotbloom.perf.server.DatabaseServer;
import java.lang.management.ManagementFactory;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * What a window takes over many days: its tables, its journal, and the heap of the process. Each
 * day all keys that are to be found are looked for, and those that expired as well. Time is
 * simulated.
 */
public final class WindowFlat implements Measurement {

  private static final String SCHEMA = "perf_window_flat";
  private static final int DAYS = 60;
  private static final int QUICK_DAYS = 15;
  private static final int KEYS_A_LIST = 1_000;
  private static final double MIB = 1024 * 1024;

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    DatabaseServer database = bench.database();
    database.emptySchema(SCHEMA);
    int days = bench.scale().isQuick() ? QUICK_DAYS : DAYS;
    LocalDate first = LocalDate.now(ZoneOffset.UTC).minusDays(days + 2L);
    int keysADay = bench.scale().windowKeysADay() / 10;
    CurveBuilder curve = CurveBuilder.linear("window-flat", "A window of a week", "days", "MiB");
    try (SlotbloomWindow window =
        new SlotbloomWindow(
            database,
            SCHEMA,
            (long) WindowKeys.DAYS * keysADay,
            Peers.FALSE_POSITIVE_RATE,
            first)) {
      List<BitSet> added = new ArrayList<>();
      for (int day = 0; day < days; day++) {
        added.add(add(window, day, keysADay, report.checks()));
        ask(window, day, keysADay, added, report.checks());
        window.settle();
        curve.point("slot tables", day, window.bytes() / MIB);
        curve.point("journal", day, database.tableBytes(SCHEMA, "bloom_journal") / MIB);
        curve.point("heap of the process", day, heap() / MIB);
        if (day + 1 < days) {
          window.begin(first.plusDays(day + 1L));
        }
      }
    }
    database.dropSchema(SCHEMA);
    report.add(curve.build());
    report.note(
        String.format(
            Locale.ROOT,
            "%d days of %,d keys, each of which comes up once. On each day the keys of the last %d"
                + " days that were reported as new must all be found, and of those that expired no"
                + " more than the false positive rate allows. The heap is what a collection leaves,"
                + " with that of this harness. The journal keeps entries for two hours of simulated"
                + " time after they are folded.",
            days,
            keysADay,
            WindowKeys.DAYS));
  }

  /**
   * Returns which keys were reported as new. The others only seemed to be there, and are not added.
   */
  private static BitSet add(SlotbloomWindow window, int day, int keysADay, Checks checks) {
    BitSet added = answers(keys(day, keysADay), window::addEach);
    checks.newKeys(
        window.name() + ", day " + day, keysADay, added.cardinality(), window.falsePositiveRate());
    return added;
  }

  private static void ask(
      SlotbloomWindow window, int day, int keysADay, List<BitSet> added, Checks checks) {
    for (int before = Math.max(0, day - WindowKeys.DAYS); before <= day; before++) {
      BitSet wanted = (BitSet) added.get(before).clone();
      int all = wanted.cardinality();
      wanted.and(found(window, before, keysADay));
      checks.found(window.name() + ", keys of day " + before, all, wanted.cardinality());
    }
    int expired = day - WindowKeys.DAYS - 1;
    if (expired >= 0) {
      checks.absent(
          window.name() + ", keys of day " + expired + " on day " + day,
          keysADay,
          found(window, expired, keysADay).cardinality(),
          window.falsePositiveRate());
    }
  }

  private static BitSet found(SlotbloomWindow window, int day, int keysADay) {
    return answers(keys(day, keysADay), window::mightContainEach);
  }

  private static BitSet answers(
      Iterable<List<String>> lists, Function<List<String>, boolean[]> call) {
    BitSet answers = new BitSet();
    int n = 0;
    for (List<String> keys : lists) {
      for (boolean answer : call.apply(keys)) {
        answers.set(n++, answer);
      }
    }
    return answers;
  }

  private static Iterable<List<String>> keys(int day, int keysADay) {
    return Keys.inParts((long) day * keysADay, keysADay, KEYS_A_LIST);
  }

  private static long heap() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
