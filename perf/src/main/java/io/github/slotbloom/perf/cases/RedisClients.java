package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Measurement;
import io.github.slotbloom.perf.Opened;
import io.github.slotbloom.perf.Scale;
import io.github.slotbloom.perf.measure.Better;
import io.github.slotbloom.perf.measure.Contest;
import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.peer.Caller;
import io.github.slotbloom.perf.peer.JdbcFloor;
import io.github.slotbloom.perf.peer.RedisBloomKeys;
import io.github.slotbloom.perf.report.CaseReport;
import io.github.slotbloom.perf.server.DatabaseAccount;
import io.github.slotbloom.perf.server.RedisAddress;
import io.github.slotbloom.perf.server.ServeProcess;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Measures {@code slotbloom serve} beside RedisBloom, with the same client. */
public final class RedisClients implements Measurement {

  private static final String SCHEMA = "perf_redis_clients";
  private static final int MANY = 50;
  private static final int PIPELINE = 16;
  private static final int LIST = 1_000;

  /** How many keys are asked for: a multiple of the pipeline. */
  private static final int KNOWN_KEYS = 160_000;

  private static final long LOOK_AGAIN_MILLIS = 20;

  /**
   * What clients do.
   *
   * @param clients how many of them, each with a connection and a thread
   * @param batch the keys of a call
   * @param piped true if the keys of a call are commands that are sent before the first answer
   * @param goal ours to RedisBloom; 0 if there is none
   */
  private record Way(String title, int clients, int batch, boolean piped, double goal) {}

  private static final List<Way> ADDING =
      List.of(
          new Way("BF.ADD, one client", 1, 1, false, 0.25),
          new Way("BF.ADD, 50 clients", MANY, 1, false, 0),
          new Way("BF.ADD, 50 clients, pipelines of 16", MANY, PIPELINE, true, 1),
          new Way("BF.ADD, one client, pipelines of 1,000", 1, LIST, true, 0),
          new Way("BF.MADD of 1,000 keys, one client", 1, LIST, false, 0.6));

  private static final Way ASKING =
      new Way("BF.EXISTS of known keys, 50 clients, pipelines of 16", MANY, PIPELINE, true, 0.5);

  /** A server, with what its answers survive. */
  private record Side(String name, String durability, RedisAddress address) {
    RedisBloomKeys keys(Way way, long capacity) {
      return new RedisBloomKeys(
          name, durability, address, SCHEMA, capacity, Peers.FALSE_POSITIVE_RATE, way.piped());
    }
  }

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    DatabaseAccount account = bench.database().emptySchema(SCHEMA);
    Path program = bench.plan().root().resolve("slotbloom");
    try (ServeProcess serve =
            ServeProcess.start(program, account, bench.files().resolve("serve.log"));
        Connection status = account.connect();
        FloorTrials floor =
            new FloorTrials(bench.database(), SCHEMA, report.checks(), 1, Scale.TRIAL_OF_BATCHES)) {
      List<Side> sides = new ArrayList<>();
      sides.add(new Side("slotbloom serve", bench.database().durability(), serve.address()));
      bench
          .redisBloom()
          .ifPresent(redis -> sides.add(new Side(Peers.REDISBLOOM, redis.durability(), redis)));
      for (Way way : ADDING) {
        add(bench, report, sides, status, floor, way);
      }
      ask(bench, report, sides, status);
    }
    bench.database().dropSchema(SCHEMA);
    report.note(
        "Jedis sends to both. Nobody else runs until what was added to ours is folded. The floor"
            + " commits all that the clients have under way by one connection, and answers"
            + " nothing.");
  }

  private static void add(
      Bench bench,
      CaseReport report,
      List<Side> sides,
      Connection status,
      FloorTrials floor,
      Way way)
      throws Exception {
    Scale scale = bench.scale();
    long capacity = scale.keysPerContestOfBatches();
    Contest contest = new Contest(way.title(), "keys/s", Better.HIGHER);
    try (Opened opened = new Opened()) {
      for (Side side : sides) {
        RedisBloomKeys keys = opened.keep(side.keys(way, capacity));
        CrowdOfCallers crowd =
            opened.keep(
                new CrowdOfCallers(keys, report.checks(), way.clients(), Scale.TRIAL_OF_BATCHES));
        contest.enter(
            side.name(),
            side.durability(),
            round -> {
              double rate = crowd.add(way.batch());
              awaitFolded(status);
              return rate;
            });
      }
      contest.enter(
          JdbcFloor.NAME,
          bench.database().durability(),
          round -> floor.inBatches(way.clients() * way.batch()));
      report.add(toGoal(contest, sides, way).run(scale.warmUps(), scale.rounds()));
    }
  }

  private static void ask(Bench bench, CaseReport report, List<Side> sides, Connection status)
      throws Exception {
    Scale scale = bench.scale();
    List<String> known = Keys.texts(0, KNOWN_KEYS);
    Contest contest = new Contest(ASKING.title(), "answers/s", Better.HIGHER);
    try (Opened opened = new Opened()) {
      for (Side side : sides) {
        RedisBloomKeys keys = opened.keep(side.keys(ASKING, KNOWN_KEYS));
        try (Caller caller = keys.caller()) {
          Batches.add(keys, caller, report.checks(), 0, KNOWN_KEYS);
        }
        CrowdOfCallers crowd =
            opened.keep(new CrowdOfCallers(keys, report.checks(), ASKING.clients(), scale.trial()));
        contest.enter(
            side.name(),
            "an answer changes nothing",
            round -> crowd.askAdded(known, ASKING.batch()));
      }
      awaitFolded(status);
      report.add(toGoal(contest, sides, ASKING).run(scale.warmUps(), scale.rounds()));
    }
  }

  private static Contest toGoal(Contest contest, List<Side> sides, Way way) {
    return sides.size() > 1 && way.goal() > 0
        ? contest.goal(Peers.REDISBLOOM, way.goal(), way.goal() + " of its rate")
        : contest;
  }

  private static void awaitFolded(Connection status) throws SQLException, InterruptedException {
    while (true) {
      try (Statement statement = status.createStatement();
          ResultSet row =
              statement.executeQuery("SELECT SUM(backlog_entries) FROM bloom_filter_status")) {
        row.next();
        if (row.getLong(1) == 0) {
          return;
        }
      }
      Thread.sleep(LOOK_AGAIN_MILLIS);
    }
  }
}
