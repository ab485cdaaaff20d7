package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Measurement;
import io.github.slotbloom.perf.Opened;
import io.github.slotbloom.perf.Scale;
import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.peer.CountingTableKeys;
import io.github.slotbloom.perf.peer.RemovableKeys;
import io.github.slotbloom.perf.peer.RemovingCaller;
import io.github.slotbloom.perf.peer.SlotbloomKeys;
import io.github.slotbloom.perf.report.CaseReport;
import io.github.slotbloom.perf.report.Figures;
import io.github.slotbloom.perf.report.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Removes keys that were never added from full filters. Those that are answered as seen by mistake
 * are removed, and what they share with other keys goes with them. Counts how many of the added
 * keys are not found any more.
 */
public final class FalseRemovals implements Measurement {

  private static final String SCHEMA = "perf_false_removals";
  private static final int BATCH = 1_000;

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    Scale scale = bench.scale();
    bench.database().emptySchema(SCHEMA);
    List<List<String>> rows = new ArrayList<>();
    try (Opened opened = new Opened()) {
      SlotbloomKeys ours =
          opened.keep(Peers.oursRemovable(bench.database(), SCHEMA, scale.removalKeys()));
      Lost lost = removeOthers(ours, scale, report);
      report.checks().found(ours.name(), scale.removalKeys(), scale.removalKeys() - lost.keys());
      rows.add(row(ours, lost, scale));
      for (RemovableKeys peer : Peers.removable(bench, SCHEMA, scale.removalKeys(), opened)) {
        rows.add(row(peer, removeOthers(peer, scale, report), scale));
      }
    }
    bench.database().dropSchema(SCHEMA);
    report.add(
        new Table(
            String.format(
                Locale.ROOT,
                "%,d keys in filters with that capacity, %,d others removed",
                scale.removalKeys(),
                scale.falseRemovals()),
            List.of("", "answered as removed", "added keys not found", "of all"),
            rows));
    report.note(
        "All ask before they remove: without that, each of the removals would take its toll. They"
            + " are sized for a false positive rate of 1 %, except for RedisBloom CF, whose rate"
            + " cannot be chosen.");
  }

  /**
   * What was lost.
   *
   * @param removals the keys that were answered as removed
   * @param keys the added keys that are not found
   */
  private record Lost(long removals, long keys) {}

  private static Lost removeOthers(RemovableKeys keys, Scale scale, CaseReport report)
      throws Exception {
    int count = scale.removalKeys();
    try (RemovingCaller caller = keys.caller()) {
      if (keys instanceof CountingTableKeys table) {
        table.fill(count);
      } else {
        Batches.add(keys, caller, report.checks(), 0, count);
      }
      keys.settle();
      Batches.requireFound(keys, caller, report.checks(), 0, count);
      long removals = 0;
      for (List<String> some : Keys.inParts(Keys.ABSENT, scale.falseRemovals(), BATCH)) {
        removals += caller.removeEach(some);
      }
      keys.settle();
      long found = 0;
      for (List<String> some : Keys.inParts(0, count, BATCH)) {
        found += caller.seen(some);
      }
      return new Lost(removals, count - found);
    }
  }

  private static List<String> row(RemovableKeys keys, Lost lost, Scale scale) {
    return List.of(
        keys.name(),
        Figures.of(lost.removals()),
        Figures.of(lost.keys()),
        Figures.percent((double) lost.keys() / scale.removalKeys()));
  }
}
