package io.github.slotbloom.perf.cases;

import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Measurement;
import io.github.slotbloom.perf.measure.Better;
import io.github.slotbloom.perf.measure.Checks;
import io.github.slotbloom.perf.measure.Comparison;
import io.github.slotbloom.perf.measure.Goal;
import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.measure.Series;
import io.github.slotbloom.perf.peer.Caller;
import io.github.slotbloom.perf.peer.HashTableKeys;
import io.github.slotbloom.perf.peer.JdbcFloor;
import io.github.slotbloom.perf.peer.SeenKeys;
import io.github.slotbloom.perf.peer.SlotbloomKeys;
import io.github.slotbloom.perf.peer.StoredFilter;
import io.github.slotbloom.perf.report.CaseReport;
import io.github.slotbloom.perf.report.CurveBuilder;
import io.github.slotbloom.perf.report.Figures;
import io.github.slotbloom.perf.report.Table;
import io.github.slotbloom.perf.server.DatabaseServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Adds batches without a pause on a server that cannot hold the table in memory. Each side gets a
 * new server and all its time at once, because the case tests if it can keep going.
 */
public final class Sustained implements Measurement {

  private static final String SCHEMA = "perf_sustained";
  private static final int BUFFER_POOL_MIB = 128;
  private static final int BATCH = 1_000;
  private static final long SAMPLE_NANOS = Duration.ofSeconds(1).toNanos();
  private static final int ASKED = 200_000;
  private static final int QUARTERS = 4;
  private static final int WARM_UP_BATCHES = 50;

  /** Its rate hardly changes, and in ten minutes it would write some 14 GB. */
  private static final Duration MOST_OF_THE_FLOOR = Duration.ofMinutes(1);

  /** A smaller backlog is normal between two folds. */
  private static final double SMALL_BACKLOG_SECONDS = 2;

  private record Sample(double seconds, long keys, long backlogEntries) {}

  private interface Backlog {
    long entries() throws SQLException;
  }

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    Duration time = bench.plan().sustained();
    long capacity = bench.scale().sustainedKeys();
    CurveBuilder keysOverTime =
        CurveBuilder.linear("sustained-keys", "Keys added", "seconds", "million keys");
    CurveBuilder backlogOverTime =
        CurveBuilder.linear(
            "sustained-backlog", "Waiting to be folded", "seconds", "journal entries");
    List<Sample> ours;
    List<Sample> theirs;
    double foldSeconds;
    String durability;
    try (DatabaseServer server = DatabaseServer.start(bench.plan().database(), BUFFER_POOL_MIB)) {
      durability = server.durability();
      server.emptySchema(SCHEMA);
      try (SlotbloomKeys keys = Peers.ours(server, SCHEMA, capacity);
          Connection catalog = server.account(SCHEMA).connect();
          PreparedStatement select =
              catalog.prepareStatement(
                  "SELECT backlog_entries FROM bloom_filter_status WHERE name = 'seen'")) {
        ours = add(keys, time, () -> one(select), report.checks());
        long begun = System.nanoTime();
        keys.settle();
        foldSeconds = (System.nanoTime() - begun) / 1e9;
        bytes(server, StoredFilter.read(server.account(SCHEMA), "seen").slotTable(), report);
      }
    }
    try (DatabaseServer server = DatabaseServer.start(bench.plan().database(), BUFFER_POOL_MIB)) {
      server.emptySchema(SCHEMA);
      try (HashTableKeys keys = new HashTableKeys(server, SCHEMA, "hashes")) {
        theirs = add(keys, time, () -> 0, report.checks());
      }
    }
    Duration floorTime = time.compareTo(MOST_OF_THE_FLOOR) < 0 ? time : MOST_OF_THE_FLOOR;
    double floorRate;
    try (DatabaseServer server = DatabaseServer.start(bench.plan().database(), BUFFER_POOL_MIB)) {
      server.emptySchema(SCHEMA);
      try (FloorTrials floor = new FloorTrials(server, SCHEMA, report.checks(), 1, floorTime)) {
        floorRate = floor.inBatches(BATCH);
      }
    }
    for (Sample sample : ours) {
      keysOverTime.point("Slotbloom", sample.seconds(), sample.keys() / 1e6);
      backlogOverTime.point("Slotbloom", sample.seconds(), sample.backlogEntries());
    }
    theirs.forEach(
        sample -> keysOverTime.point("INSERT IGNORE", sample.seconds(), sample.keys() / 1e6));
    report.add(compared(ours, theirs, floorRate, foldSeconds, durability, capacity, time));
    report.add(backlog(ours));
    report.add(keysOverTime.build());
    report.add(backlogOverTime.build());
    report.note(
        String.format(
            Locale.ROOT,
            "Buffer pool of %d MiB. One caller, %,d keys a call. Folding what was left took %.1f s."
                + " The floor answers and folds nothing, and appended for %d s.",
            BUFFER_POOL_MIB,
            BATCH,
            foldSeconds,
            floorTime.toSeconds()));
  }

  private static void bytes(DatabaseServer server, String table, CaseReport report)
      throws SQLException {
    double mib = server.tableBytes(SCHEMA, table) / 1048576.0;
    report.add(
        new Table(
            "Size at the end",
            List.of("table", "MiB", "buffer pool, MiB"),
            List.of(
                List.of("`" + table + "`", Figures.of(mib), Integer.toString(BUFFER_POOL_MIB)))));
  }

  private static List<Sample> add(SeenKeys keys, Duration time, Backlog backlog, Checks checks)
      throws Exception {
    try (Caller caller = keys.caller()) {
      long next = 0;
      long isNew = 0;
      for (int i = 0; i < WARM_UP_BATCHES; i++, next += BATCH) {
        isNew += caller.addEach(Keys.texts(next, BATCH));
      }
      long before = next;
      List<Sample> samples = new ArrayList<>();
      samples.add(new Sample(0, 0, backlog.entries()));
      long begun = System.nanoTime();
      long sampled = begun;
      long now = begun;
      while (now - begun < time.toNanos()) {
        // Keys are created on the way, because all of them would not fit. This costs both sides the
        // same.
        isNew += caller.addEach(Keys.texts(next, BATCH));
        next += BATCH;
        now = System.nanoTime();
        if (now - sampled >= SAMPLE_NANOS) {
          sampled = now;
          samples.add(new Sample((now - begun) / 1e9, next - before, backlog.entries()));
        }
      }
      samples.add(new Sample((now - begun) / 1e9, next - before, backlog.entries()));
      double falsePositiveRate = keys.falsePositiveRateWith(next);
      checks.newKeys(keys.name(), next, isNew, falsePositiveRate);
      // Asks for the first range, the last range, and one between.
      int some = (int) Math.min(ASKED / 3, next / 3);
      for (long first : new long[] {0, next / 2, next - some}) {
        Batches.requireFound(keys, caller, checks, first, some);
      }
      Batches.requireAbsent(keys, checks, ASKED / 10, falsePositiveRate);
      return samples;
    }
  }

  private static Comparison compared(
      List<Sample> ours,
      List<Sample> theirs,
      double floorRate,
      double foldSeconds,
      String durability,
      long capacity,
      Duration time) {
    Sample ourEnd = ours.get(ours.size() - 1);
    Sample theirEnd = theirs.get(theirs.size() - 1);
    return new Comparison(
        String.format(
            Locale.ROOT,
            "`addEach` for %.1f minutes into a filter for %,d keys",
            time.toSeconds() / 60.0,
            capacity),
        "keys/s",
        Better.HIGHER,
        List.of(
            single("Slotbloom", durability, ourEnd.keys() / ourEnd.seconds()),
            single(
                "Slotbloom, and folded",
                durability,
                ourEnd.keys() / (ourEnd.seconds() + foldSeconds)),
            single(Peers.HASH_TABLE, durability, theirEnd.keys() / theirEnd.seconds()),
            single(JdbcFloor.NAME, durability, floorRate)),
        List.of(new Goal("Slotbloom", Peers.HASH_TABLE, 1.0, "faster")));
  }

  private static Series single(String name, String durability, double value) {
    return new Series(name, durability, new double[] {value});
  }

  /** Compares the last quarter of the time with the one before. */
  private static Comparison backlog(List<Sample> samples) {
    double last = meanBacklog(samples, QUARTERS - 1);
    double before = meanBacklog(samples, QUARTERS - 2);
    Sample end = samples.get(samples.size() - 1);
    double small = SMALL_BACKLOG_SECONDS * end.keys() / end.seconds() / BATCH;
    return new Comparison(
        "Backlog, mean of the last quarter of the time beside the one before",
        "journal entries",
        Better.LOWER,
        List.of(
            single("Slotbloom, last quarter", "", Math.max(last, small)),
            single("the quarter before", "", Math.max(before, small))),
        List.of(
            new Goal(
                "Slotbloom, last quarter",
                "the quarter before",
                1 / 1.1,
                "flat: at most 1.1 times")));
  }

  private static double meanBacklog(List<Sample> samples, int quarter) {
    double end = samples.get(samples.size() - 1).seconds();
    return samples.stream()
        .filter(
            sample ->
                sample.seconds() >= end * quarter / QUARTERS
                    && sample.seconds() <= end * (quarter + 1) / QUARTERS)
        .mapToLong(Sample::backlogEntries)
        .average()
        .orElse(0);
  }

  private static long one(PreparedStatement select) throws SQLException {
    try (ResultSet row = select.executeQuery()) {
      row.next();
      return row.getLong(1);
    }
  }
}
