package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Opened;
import io.github.slotbloom.perf.Scale;
import io.github.slotbloom.perf.cases.PacedCalls.Side;
import io.github.slotbloom.perf.measure.Better;
import io.github.slotbloom.perf.measure.Comparison;
import io.github.slotbloom.perf.measure.Contest;
import io.github.slotbloom.perf.measure.Goal;
import io.github.slotbloom.perf.peer.Caller;
import io.github.slotbloom.perf.peer.HashTableKeys;
import io.github.slotbloom.perf.peer.JdbcFloor;
import io.github.slotbloom.perf.peer.RedisBloomKeys;
import io.github.slotbloom.perf.peer.SeenKeys;
import io.github.slotbloom.perf.peer.SlotbloomKeys;
import io.github.slotbloom.perf.report.CaseReport;
import io.github.slotbloom.perf.report.Table;
import io.github.slotbloom.perf.server.DatabaseServer;
import io.github.slotbloom.perf.server.DelayingProxy;
import io.github.slotbloom.perf.server.DistantDatabase;
import io.github.slotbloom.perf.server.RedisAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Compares the calls of callers at one place: adds, lookups, transactions, and opening. */
final class LatencyContests implements AutoCloseable {

  /** How far a measured round trip may be from the one that was asked for. */
  static final double TOLERANCE_MILLIS = 0.15;

  private static final String SCHEMA = "perf_latency";
  private static final String ADDED = "added";
  private static final String ASKED = "asked";
  private static final String WITHIN = "within";
  private static final String UNMIRRORED = "unmirrored";
  private static final String EMPTY = "empty";
  private static final String BY_ANOTHER_THREAD = "by_another_thread";
  private static final long CAPACITY = 1_000_000;
  private static final int ASKED_AMONG = 10_000;

  private static final String TRIP = "SELECT 1";
  private static final String DIRECT_TRIP = "SELECT 1, no proxy";
  private static final String OWN_ROW = "Row of the caller's, and commit";
  private static final String OWN_ROW_AND_TRIP = OWN_ROW + ", and SELECT 1";

  private final Place place;
  private final Scale scale;
  private final CaseReport report;
  private final DatabaseServer near;
  private final DatabaseServer database;
  private final Optional<RedisAddress> redisBloom;
  private final Opened opened = new Opened();
  private final List<List<String>> rows = new ArrayList<>();

  /** Makes new filters, over the direct line. */
  LatencyContests(Place place, Bench bench, CaseReport report) throws Exception {
    this.place = place;
    this.scale = bench.scale();
    this.report = report;
    near = bench.database();
    near.emptySchema(SCHEMA);
    for (String filter : List.of(ADDED, ASKED, WITHIN, UNMIRRORED, EMPTY)) {
      SlotbloomKeys.reserve(near, SCHEMA, filter, CAPACITY, Peers.FALSE_POSITIVE_RATE).close();
    }
    if (place.isDirect()) {
      database = near;
      redisBloom = bench.redisBloom();
    } else {
      database = opened.keep(new DistantDatabase(near, place.roundTrip()));
      redisBloom =
          bench.redisBloom().isEmpty()
              ? Optional.empty()
              : Optional.of(distant(bench.redisBloom().get()));
    }
  }

  private RedisAddress distant(RedisAddress redis) throws IOException {
    InetSocketAddress itsPort = new InetSocketAddress(redis.host(), redis.port());
    InetSocketAddress line = opened.keep(new DelayingProxy(itsPort, place.roundTrip())).address();
    return new RedisAddress(line.getHostString(), line.getPort());
  }

  void run() throws Exception {
    adds();
    lookups();
    transactions();
    opening();
    report.add(
        new Table(
            String.format(
                Locale.ROOT,
                "Milliseconds that a call takes, %s; %,d calls of each",
                place,
                scale.pacedCalls() * scale.rounds()),
            List.of("call", "who", "p50", "p90", "p99"),
            List.copyOf(rows)));
  }

  private void adds() throws Exception {
    try (Opened itsOwn = new Opened()) {
      LatencySides sides = sides(itsOwn);
      List<Side> all = new ArrayList<>();
      all.add(sides.adding(itsOwn.keep(SlotbloomKeys.strict(database, SCHEMA, ADDED))));
      for (SeenKeys peer : peers(ADDED, itsOwn)) {
        all.add(sides.adding(peer));
      }
      all.add(sides.byAnotherThread(sides.adding(hashTable(BY_ANOTHER_THREAD, itsOwn))));
      all.add(sides.appending(new JdbcFloor(database, SCHEMA)));
      all.add(sides.adding(itsOwn.keep(SlotbloomKeys.withoutMirror(database, SCHEMA, UNMIRRORED))));
      report.add(compare("`add` of a new key", all, besideTheTable(all.get(0))));
    }
  }

  private void lookups() throws Exception {
    try (Opened itsOwn = new Opened()) {
      List<SeenKeys> asked = new ArrayList<>();
      asked.add(itsOwn.keep(SlotbloomKeys.strict(database, SCHEMA, ASKED)));
      asked.addAll(peers(ASKED, itsOwn));
      for (SeenKeys one : asked) {
        try (Caller caller = one.caller()) {
          Batches.add(one, caller, report.checks(), 0, ASKED_AMONG);
        }
        one.settle();
      }
      asked.add(itsOwn.keep(SlotbloomKeys.withoutMirror(database, SCHEMA, ASKED)));
      LatencySides sides = sides(itsOwn);
      List<Side> all = new ArrayList<>();
      for (SeenKeys one : asked) {
        all.add(sides.asking(one));
      }
      all.add(sides.byAnotherThread(sides.asking(asked.get(1))));
      all.add(sides.oneTrip(TRIP));
      all.add(new LatencySides(near, SCHEMA, report.checks(), itsOwn).oneTrip(DIRECT_TRIP));
      Comparison lookups =
          compare("strict `mightContain` of an absent key", all, besideTheTable(all.get(0)));
      report.add(lookups);
      requireRoundTrip(lookups.difference(TRIP, DIRECT_TRIP).median());
    }
  }

  /** A longer line that is not as long as it says would tell nothing. */
  private void requireRoundTrip(double millis) {
    report
        .checks()
        .expect(
            Math.abs(millis - place.millis()) <= TOLERANCE_MILLIS,
            "%s: a round trip takes %.3f ms longer than without the proxy",
            place,
            millis);
  }

  private void transactions() throws Exception {
    try (Opened itsOwn = new Opened()) {
      LatencySides sides = sides(itsOwn);
      List<Side> all =
          List.of(
              sides.addingWithin(itsOwn.keep(SlotbloomKeys.strict(database, SCHEMA, WITHIN))),
              sides.insertingOwnRow(OWN_ROW),
              sides.oneTrip(TRIP));
      Goal goal = new Goal(all.get(0).name(), OWN_ROW_AND_TRIP, 1, "at most one trip more");
      report.add(
          compare("transaction", all, place.isFar() ? List.of(goal) : List.of())
              .withSum(OWN_ROW, TRIP, OWN_ROW_AND_TRIP));
    }
  }

  private void opening() throws Exception {
    try (Opened itsOwn = new Opened()) {
      LatencySides sides = sides(itsOwn);
      List<Side> all = List.of(sides.opening(EMPTY), sides.oneTrip(TRIP));
      report.add(compare("`open` of an empty filter", all, List.of()));
    }
  }

  private LatencySides sides(Opened itsOwn) {
    return new LatencySides(database, SCHEMA, report.checks(), itsOwn);
  }

  private List<SeenKeys> peers(String table, Opened itsOwn) throws SQLException {
    List<SeenKeys> peers = new ArrayList<>();
    peers.add(hashTable(table, itsOwn));
    redisBloom.ifPresent(
        redis ->
            peers.add(
                itsOwn.keep(
                    new RedisBloomKeys(
                        redis, SCHEMA + "_" + table, CAPACITY, Peers.FALSE_POSITIVE_RATE))));
    return peers;
  }

  private HashTableKeys hashTable(String table, Opened itsOwn) throws SQLException {
    return itsOwn.keep(new HashTableKeys(database, SCHEMA, "hashes_" + table));
  }

  private List<Goal> besideTheTable(Side ours) {
    return place.goal().stream()
        .mapToObj(
            times ->
                new Goal(
                    ours.name(), Peers.HASH_TABLE, 1 / times, "at most " + times + " of its time"))
        .toList();
  }

  private Comparison compare(String call, List<Side> sides, List<Goal> goals) throws Exception {
    Contest contest = new Contest(call + ", " + place, "ms, p50", Better.LOWER);
    List<PacedCalls> all = new ArrayList<>();
    for (Side side : sides) {
      PacedCalls calls = new PacedCalls(side, scale.pacedCalls(), scale.rounds());
      all.add(calls);
      contest.enter(side.name(), side.durability(), calls::trial);
    }
    goals.forEach(contest::goal);
    Comparison comparison = contest.run(PacedCalls.WARM_UPS, scale.rounds());
    for (PacedCalls calls : all) {
      calls.check(report.checks());
      rows.add(calls.row(call));
    }
    return comparison;
  }

  @Override
  public void close() throws Exception {
    opened.close();
    near.dropSchema(SCHEMA);
  }
}
