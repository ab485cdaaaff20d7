package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Measurement;
import io.github.slotbloom.perf.Opened;
import io.github.slotbloom.perf.Scale;
import io.github.slotbloom.perf.measure.Better;
import io.github.slotbloom.perf.measure.Contest;
import io.github.slotbloom.perf.peer.SeenKeys;
import io.github.slotbloom.perf.peer.SlotbloomKeys;
import io.github.slotbloom.perf.report.CaseReport;

/** Measures sixty-four threads that add one key per call. */
public final class AddFromThreads implements Measurement {

  static final int THREADS = 64;

  /** An upper limit: the rate of the fastest contestant, with room to spare. */
  private static final long MOST_A_SECOND = 200_000;

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    Scale scale = bench.scale();
    String schema = "perf_add_threads";
    bench.database().emptySchema(schema);
    long capacity =
        MOST_A_SECOND * (scale.trial().toSeconds() + 1) * (scale.rounds() + scale.warmUps());
    Contest contest = new Contest(report.title(), "keys/s", Better.HIGHER);
    try (Opened opened = new Opened()) {
      SlotbloomKeys ours = opened.keep(Peers.ours(bench.database(), schema, capacity));
      CrowdOfCallers ourCrowd = opened.keep(crowd(ours, report, scale));
      contest.enter(
          ours.name(),
          ours.durability(),
          round -> {
            double rate = ourCrowd.add();
            ours.settle();
            return rate;
          });
      for (SeenKeys peer : Peers.inDatabaseAndRedis(bench, schema, capacity, THREADS, opened)) {
        CrowdOfCallers crowd = opened.keep(crowd(peer, report, scale));
        contest.enter(peer.name(), peer.durability(), round -> crowd.add());
      }
      contest.goal(Peers.REDISBLOOM, 1.0, "as fast");
      report.add(contest.run(scale.warmUps(), scale.rounds()));
    }
    bench.database().dropSchema(schema);
    report.note("RedisBloom and the table have a connection a thread.");
  }

  private static CrowdOfCallers crowd(SeenKeys keys, CaseReport report, Scale scale)
      throws Exception {
    return new CrowdOfCallers(keys, report.checks(), THREADS, scale.trial());
  }
}
