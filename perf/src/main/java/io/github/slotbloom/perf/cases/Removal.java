package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Measurement;
import io.github.slotbloom.perf.Opened;
import io.github.slotbloom.perf.Scale;
import io.github.slotbloom.perf.measure.Better;
import io.github.slotbloom.perf.measure.Comparison;
import io.github.slotbloom.perf.measure.Contest;
import io.github.slotbloom.perf.measure.Goal;
import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.measure.Series;
import io.github.slotbloom.perf.peer.MemoryKeys;
import io.github.slotbloom.perf.peer.RemovableKeys;
import io.github.slotbloom.perf.peer.RemovingCaller;
import io.github.slotbloom.perf.peer.SeenKeys;
import io.github.slotbloom.perf.peer.SlotbloomKeys;
import io.github.slotbloom.perf.report.CaseReport;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Measures one caller that adds keys, removes them again, and asks, beside filters that count and
 * filters of fingerprints.
 *
 * @param batch the keys per call
 */
public record Removal(int batch) implements Measurement {

  /** One key a call takes a commit for each, so nobody adds more in a trial that is kept. */
  private static final int MOST_SINGLE_KEYS = 100_000;

  private static final String SCHEMA = "perf_removal";
  private static final String REMOVES = ", removes";

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    Scale scale = bench.scale();
    bench.database().emptySchema(SCHEMA);
    // Those of the lookups are added after all trials.
    long capacity = scale.keysPerContest() + scale.keysPerTrial();
    int keys = batch == 1 ? Math.min(scale.keysPerTrial(), MOST_SINGLE_KEYS) : scale.keysPerTrial();
    try (Opened opened = new Opened()) {
      List<RemovableKeys> all = new ArrayList<>();
      all.add(opened.keep(Peers.oursRemovable(bench.database(), SCHEMA, capacity)));
      for (RemovableKeys peer : Peers.removable(bench, SCHEMA, capacity, opened)) {
        // In memory a batch is a loop.
        if (batch > 1 || !(peer instanceof MemoryKeys)) {
          all.add(peer);
        }
      }
      turnover(all, keys, scale, report, opened);
      if (batch > 1) {
        lookups(all, bench, report, opened);
      }
    }
    bench.database().dropSchema(SCHEMA);
    report.note(
        "In each trial the same keys are added, looked for, and removed. RedisBloom CF has no"
            + " command that removes several keys, so its commands are sent in one pipeline. It and"
            + " the cuckoo filters do not tell whether an added key was new.");
  }

  private void turnover(
      List<RemovableKeys> all, int keys, Scale scale, CaseReport report, Opened opened)
      throws Exception {
    Contest contest = new Contest(report.title(), "keys/s", Better.HIGHER);
    for (RemovableKeys one : all) {
      Turnover turnover =
          opened.keep(new Turnover(one, report.checks(), batch, keys, scale.trial()));
      contest.enter(one.name(), one.name() + REMOVES, one.durability(), round -> turnover.trial());
    }
    Comparison both = contest.run(scale.warmUps(), scale.rounds());
    Comparison adds = everySecond(both, 0, title(report, "add"));
    Comparison removes = everySecond(both, 1, title(report, "remove"));
    report.add(adds);
    report.add(removes);
    report.add(
        new Comparison(
            report.title() + ": removing beside adding",
            both.unit(),
            both.better(),
            List.of(removes.ours(), adds.ours()),
            List.of(new Goal(removes.ours().name(), adds.ours().name(), 1, "as fast"))));
  }

  private String title(CaseReport report, String call) {
    return report.title() + ": `" + call + (batch == 1 ? "`" : "Each`");
  }

  /** Adding and removing share a trial, but they are two contests. */
  private static Comparison everySecond(Comparison both, int first, String title) {
    List<Series> series =
        IntStream.range(0, both.series().size())
            .filter(i -> i % 2 == first)
            .mapToObj(both.series()::get)
            .toList();
    return new Comparison(title, both.unit(), both.better(), series, List.of());
  }

  private void lookups(List<RemovableKeys> all, Bench bench, CaseReport report, Opened opened)
      throws Exception {
    Scale scale = bench.scale();
    long first = scale.keysPerContest();
    int keys = scale.keysPerTrial();
    Contest contest =
        new Contest(
            report.title() + ": `mightContainEach`, half of them present",
            "answers/s",
            Better.HIGHER);
    List<SeenKeys> asked = new ArrayList<>();
    for (RemovableKeys one : all) {
      try (RemovingCaller caller = one.caller()) {
        for (List<String> some : Keys.inParts(first, keys)) {
          caller.addEach(some);
        }
      }
      one.settle();
      asked.add(one);
    }
    asked.add(1, opened.keep(SlotbloomKeys.bounded(bench.database(), SCHEMA, "seen", Peers.BOUND)));
    for (SeenKeys one : asked) {
      Lookups lookups =
          opened.keep(new Lookups(one, report.checks(), batch, first, keys, scale.curvePoint()));
      contest.enter(one.name(), "an answer changes nothing", round -> lookups.trial());
    }
    report.add(contest.run(scale.warmUps(), scale.rounds()));
  }
}
