package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Measurement;
import io.github.slotbloom.perf.measure.Better;
import io.github.slotbloom.perf.measure.Contest;
import io.github.slotbloom.perf.memory.Asked;
import io.github.slotbloom.perf.memory.KeyKind;
import io.github.slotbloom.perf.memory.MemorySetup;
import io.github.slotbloom.perf.memory.SlotbloomMemory;
import io.github.slotbloom.perf.report.CaseReport;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a lookup to memory costs in windows of more and more buckets, beside a filter without a
 * window, of the same keys, capacity and false positive rate. Each round forks a JVM for each of
 * them.
 */
public final class WindowBuckets implements Measurement {

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    boolean quick = bench.scale().isQuick();
    List<Integer> buckets = quick ? List.of(7) : List.of(1, 7, 24, 96);
    List<Asked> lookups = quick ? List.of(Asked.PRESENT) : List.of(Asked.values());
    Path account = bench.files().resolve("account");
    bench.database().account(FilledFilters.SCHEMA).write(account);
    for (long keys : bench.scale().windowKeys()) {
      Map<String, MemoryFork> forks = new LinkedHashMap<>();
      forks.put(
          "Slotbloom, no window",
          fork(bench, account, FilledFilters.texts(bench, keys, keys), keys));
      for (int count : buckets) {
        forks.put(
            count == 1 ? "window of 1 bucket" : "window of " + count + " buckets",
            fork(bench, account, FilledFilters.window(bench, count, keys), keys));
      }
      for (Asked asked : lookups) {
        for (String method : List.of("mightContain", "mightContainEach")) {
          Contest contest =
              new Contest(
                  String.format(
                      Locale.ROOT,
                      "`%s`, %s, %,d keys, for each key",
                      method,
                      asked.name().toLowerCase(Locale.ROOT),
                      keys),
                  "ns",
                  Better.LOWER);
          forks.forEach(
              (name, fork) ->
                  contest.enter(
                      name,
                      "each add was synced",
                      round -> fork.run(SlotbloomMemory.class, method, asked).nanos()));
          report.add(contest.run(0, quick ? 1 : bench.scale().memoryRounds()));
        }
      }
    }
    report.note(
        "Keys that are present are spread evenly over all buckets that count, one more than the"
            + " window has. Lists have a thousand keys.");
  }

  private static MemoryFork fork(Bench bench, Path account, String filter, long keys) {
    return new MemoryFork(
        bench,
        KeyKind.TEXT,
        keys,
        Map.of(MemorySetup.ACCOUNT, account, MemorySetup.FILTER, filter));
  }
}
