package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Measurement;
import io.github.slotbloom.perf.Opened;
import io.github.slotbloom.perf.Scale;
import io.github.slotbloom.perf.measure.Better;
import io.github.slotbloom.perf.measure.Comparison;
import io.github.slotbloom.perf.measure.Contest;
import io.github.slotbloom.perf.peer.JdbcFloor;
import io.github.slotbloom.perf.peer.SeenKeys;
import io.github.slotbloom.perf.peer.SlotbloomKeys;
import io.github.slotbloom.perf.report.CaseReport;
import java.time.Duration;

/**
 * Measures threads that add at the same time: one or many.
 *
 * @param batch the keys of a call
 */
public record AddFromThreads(int threads, int batch) implements Measurement, Profiled {

  static final int MANY = 64;

  private static final String ONE_COMMITTER = "JDBC, one committer for all threads";
  private static final String OWN_CONNECTIONS = "JDBC, a connection a thread";

  /** An upper limit: the rate of the fastest contestant, with room to spare. */
  private static final long MOST_A_SECOND = 200_000;

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    Scale scale = bench.scale();
    String schema = "perf_add_threads_" + threads + "_" + batch;
    bench.database().emptySchema(schema);
    Duration trial = batch == 1 ? scale.trial() : Scale.TRIAL_OF_BATCHES;
    long capacity =
        batch == 1 ? scale.keysPerContest(MOST_A_SECOND) : scale.keysPerContestOfBatches();
    Contest contest = new Contest(report.title(), "keys/s", Better.HIGHER);
    try (Opened opened = new Opened()) {
      SlotbloomKeys ours = opened.keep(Peers.ours(bench.database(), schema, capacity));
      CrowdOfCallers ourCrowd = opened.keep(crowd(ours, report, trial));
      contest.enter(
          ours.name(),
          ours.durability(),
          round -> {
            double rate = ourCrowd.add(batch);
            ours.settle();
            return rate;
          });
      for (SeenKeys peer : Peers.inDatabaseAndRedis(bench, schema, capacity, threads, opened)) {
        CrowdOfCallers crowd = opened.keep(crowd(peer, report, trial));
        contest.enter(peer.name(), peer.durability(), round -> crowd.add(batch));
      }
      FloorTrials floor =
          opened.keep(new FloorTrials(bench.database(), schema, report.checks(), threads, trial));
      report.add(besideFloor(floor, contest, bench));
    }
    bench.database().dropSchema(schema);
    report.note(
        "RedisBloom and the table have a connection a thread. The floor answers nothing; where"
            + " there are two, the faster one is the floor.");
  }

  private Comparison besideFloor(FloorTrials floor, Contest contest, Bench bench) throws Exception {
    if (batch > 1) {
      return besideConnections(floor, contest.goal(Peers.REDISBLOOM, 1.0, "as fast"), bench);
    }
    return threads == 1 ? beside(floor, contest, bench) : besideBoth(floor, contest, bench);
  }

  private Comparison beside(FloorTrials floor, Contest contest, Bench bench) throws Exception {
    contest
        .goal(Peers.REDISBLOOM, 0.4, "0.4 of its rate")
        .goal(JdbcFloor.NAME, 0.8, "0.8 of its rate");
    return besideConnections(floor, contest, bench);
  }

  private Comparison besideConnections(FloorTrials floor, Contest contest, Bench bench)
      throws Exception {
    return contest
        .enter(
            JdbcFloor.NAME,
            bench.database().durability(),
            round -> floor.byConnections(threads, batch))
        .run(bench.scale().warmUps(), bench.scale().rounds());
  }

  private Comparison besideBoth(FloorTrials floor, Contest contest, Bench bench) throws Exception {
    String durability = bench.database().durability();
    contest
        .enter(ONE_COMMITTER, durability, round -> floor.byCommitter(threads))
        .enter(OWN_CONNECTIONS, durability, round -> floor.byConnections(threads, batch))
        .goal(Peers.REDISBLOOM, 1.0, "as fast");
    return contest
        .run(bench.scale().warmUps(), bench.scale().rounds())
        .withBetterOf(ONE_COMMITTER, OWN_CONNECTIONS, JdbcFloor.NAME);
  }

  @Override
  public AddingLoop loop() {
    return new AddingLoop(threads, batch);
  }

  private CrowdOfCallers crowd(SeenKeys keys, CaseReport report, Duration trial) throws Exception {
    return new CrowdOfCallers(keys, report.checks(), threads, trial);
  }
}
