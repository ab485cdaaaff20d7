package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Measurement;
import io.github.slotbloom.perf.Opened;
import io.github.slotbloom.perf.Scale;
import io.github.slotbloom.perf.measure.Better;
import io.github.slotbloom.perf.measure.Comparison;
import io.github.slotbloom.perf.measure.Contest;
import io.github.slotbloom.perf.peer.JdbcFloor;
import io.github.slotbloom.perf.peer.PartitionedKeys;
import io.github.slotbloom.perf.report.CaseReport;
import io.github.slotbloom.perf.server.DatabaseServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Adds to filters of one, two and four parts, which are on two servers in turn. */
public final class Partitions implements Measurement {

  private static final String SCHEMA = "perf_partitions";
  private static final int BUFFER_POOL_MIB = 512;
  private static final List<Integer> PARTS = List.of(4, 2, 1);
  private static final int[] BATCHES = {1_000, 10_000};
  private static final int THREADS = 64;

  /** Folding them is not measured, and takes most of the time. */
  private static final int MOST_KEYS = 250_000;

  /** An upper limit: the rate of the fastest contestant, with room to spare. */
  private static final long MOST_A_SECOND = 200_000;

  private static final String TWO_FLOORS = JdbcFloor.NAME + " on both servers at once";

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    try (DatabaseServer second = DatabaseServer.start(bench.plan().database(), BUFFER_POOL_MIB)) {
      List<DatabaseServer> servers = List.of(bench.database(), second);
      for (int batch : BATCHES) {
        report.add(inBatches(bench, report, servers, batch));
      }
      report.add(fromThreads(bench, report, servers));
      bench.database().dropSchema(SCHEMA);
    }
    report.note(
        "Even parts are on the first server, odd ones on the second. Both servers and the caller"
            + " share the cores of this machine. Nobody else runs until all is folded, which is"
            + " not counted. The floors answer nothing.");
  }

  private static Comparison inBatches(
      Bench bench, CaseReport report, List<DatabaseServer> servers, int batch) throws Exception {
    Scale scale = bench.scale();
    int most = Math.min(MOST_KEYS, scale.keysPerTrial());
    Contest contest =
        new Contest(
            String.format(Locale.ROOT, "`addEach`, %,d keys a call, one caller", batch),
            "keys/s",
            Better.HIGHER);
    try (Opened opened = new Opened()) {
      empty(servers);
      for (PartitionedKeys keys : ours(opened, servers, scale.keysPerContest())) {
        Batches batches =
            opened.keep(new Batches(keys, report.checks(), batch, most, scale.trial()));
        contest.enter(
            keys.name(),
            keys.durability(),
            round -> {
              double rate = batches.trial();
              batches.requireFound();
              keys.settle();
              return rate;
            });
      }
      List<FloorTrials> floors = floors(opened, servers, report, scale);
      String durability = servers.get(0).durability();
      contest.enter(JdbcFloor.NAME, durability, round -> floors.get(0).inBatches(batch));
      contest.enter(
          TWO_FLOORS, durability, round -> onBoth(floors, floor -> floor.inBatches(batch / 2)));
      return contest.run(scale.warmUps(), scale.rounds());
    }
  }

  private static Comparison fromThreads(
      Bench bench, CaseReport report, List<DatabaseServer> servers) throws Exception {
    Scale scale = bench.scale();
    long capacity = scale.keysPerContest(MOST_A_SECOND);
    Contest contest = new Contest("`add`, " + THREADS + " threads", "keys/s", Better.HIGHER);
    try (Opened opened = new Opened()) {
      empty(servers);
      for (PartitionedKeys keys : ours(opened, servers, capacity)) {
        CrowdOfCallers crowd =
            opened.keep(new CrowdOfCallers(keys, report.checks(), THREADS, scale.trial()));
        contest.enter(
            keys.name(),
            keys.durability(),
            round -> {
              double rate = crowd.add();
              keys.settle();
              return rate;
            });
      }
      List<FloorTrials> floors = floors(opened, servers, report, scale);
      String durability = servers.get(0).durability();
      contest.enter(
          JdbcFloor.NAME + ", one committer",
          durability,
          round -> floors.get(0).byCommitter(THREADS));
      contest.enter(
          TWO_FLOORS + ", a committer each",
          durability,
          round -> onBoth(floors, floor -> floor.byCommitter(THREADS / 2)));
      return contest.run(scale.warmUps(), scale.rounds());
    }
  }

  private static void empty(List<DatabaseServer> servers) throws Exception {
    for (DatabaseServer server : servers) {
      server.emptySchema(SCHEMA);
    }
  }

  private static List<PartitionedKeys> ours(
      Opened opened, List<DatabaseServer> servers, long capacity) throws Exception {
    List<PartitionedKeys> all = new ArrayList<>();
    for (int parts : PARTS) {
      all.add(
          opened.keep(
              new PartitionedKeys(servers, SCHEMA, parts, capacity, Peers.FALSE_POSITIVE_RATE)));
    }
    return all;
  }

  private static List<FloorTrials> floors(
      Opened opened, List<DatabaseServer> servers, CaseReport report, Scale scale)
      throws Exception {
    return List.of(
        opened.keep(new FloorTrials(servers.get(0), SCHEMA, report.checks(), 1, scale.trial())),
        opened.keep(new FloorTrials(servers.get(1), SCHEMA, report.checks(), 1, scale.trial())));
  }

  private interface Rate {
    double of(FloorTrials floor) throws Exception;
  }

  /** {@return the sum of the rates at the same time} */
  private static double onBoth(List<FloorTrials> floors, Rate rate) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(floors.size());
    try {
      double sum = 0;
      for (Future<Double> one :
          threads.invokeAll(
              floors.stream().map(floor -> (Callable<Double>) () -> rate.of(floor)).toList())) {
        sum += one.get();
      }
      return sum;
    } finally {
      threads.shutdown();
    }
  }
}
