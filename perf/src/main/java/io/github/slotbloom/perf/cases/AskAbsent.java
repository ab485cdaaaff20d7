package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Measurement;
import io.github.slotbloom.perf.Opened;
import io.github.slotbloom.perf.Scale;
import io.github.slotbloom.perf.measure.Better;
import io.github.slotbloom.perf.measure.Contest;
import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.peer.Caller;
import io.github.slotbloom.perf.peer.ManyFilters;
import io.github.slotbloom.perf.peer.SeenKeys;
import io.github.slotbloom.perf.peer.SlotbloomKeys;
import io.github.slotbloom.perf.report.CaseReport;
import io.github.slotbloom.perf.server.DatabaseServer;
import java.util.ArrayList;
import java.util.List;

/** Measures sixty-four threads that ask for keys that nobody added, in one filter or in several. */
public final class AskAbsent implements Measurement {

  static final int THREADS = 64;

  private static final int FILTERS = 8;

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    Scale scale = bench.scale();
    DatabaseServer database = bench.database();
    String schema = "perf_ask_absent";
    database.emptySchema(schema);
    int keys = scale.keysPerTrial();
    List<String> absent = Keys.texts(Keys.ABSENT, Peers.ABSENT_KEYS);
    Contest contest = new Contest(report.title(), "answers/s", Better.HIGHER);
    try (Opened opened = new Opened()) {
      try (SlotbloomKeys ours = Peers.ours(database, schema, keys)) {
        fill(ours, keys, report);
        ours.settle();
      }
      SlotbloomKeys bounded =
          opened.keep(SlotbloomKeys.bounded(database, schema, "seen", Peers.BOUND));
      List<SeenKeys> all = new ArrayList<>();
      SlotbloomKeys strict = opened.keep(SlotbloomKeys.strict(database, schema, "seen"));
      all.add(strict);
      ManyFilters several =
          opened.keep(new ManyFilters(database, schema, FILTERS, keys, Peers.FALSE_POSITIVE_RATE));
      for (int i = 0; i < FILTERS; i++) {
        fill(several, keys / FILTERS, report);
      }
      several.settle();
      all.add(several);
      all.add(bounded);
      all.add(opened.keep(SlotbloomKeys.withoutMirror(database, schema, "seen")));
      for (SeenKeys peer : Peers.inDatabaseAndRedis(bench, schema, keys, THREADS, opened)) {
        fill(peer, keys, report);
        all.add(peer);
      }
      for (SeenKeys one : all) {
        CrowdOfCallers crowd =
            opened.keep(new CrowdOfCallers(one, report.checks(), THREADS, scale.trial()));
        contest.enter(one.name(), "an answer changes nothing", round -> crowd.ask(absent));
      }
      contest
          .goal(Peers.REDISBLOOM, 2, "strict 2 times as fast")
          .goal(several.name(), strict.name(), 0.5, "several filters half as fast as one")
          .goal(bounded.name(), Peers.REDISBLOOM, 100, "bounded 100 times as fast");
      report.add(contest.run(scale.warmUps(), scale.rounds()));
    }
    database.dropSchema(schema);
  }

  private static void fill(SeenKeys keys, int count, CaseReport report) throws Exception {
    try (Caller caller = keys.caller()) {
      Batches.add(keys, caller, report.checks(), 0, count);
      Batches.requireFound(keys, caller, report.checks(), 0, count);
    }
  }
}
