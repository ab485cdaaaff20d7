package io.github.slotbloom.perf.cases;

import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Measurement;
import io.github.slotbloom.perf.measure.Better;
import io.github.slotbloom.perf.measure.Comparison;
import io.github.slotbloom.perf.measure.Goal;
import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.measure.Series;
import io.github.slotbloom.perf.peer.Caller;
import io.github.slotbloom.perf.peer.HashTableKeys;
import io.github.slotbloom.perf.peer.SeenKeys;
import io.github.slotbloom.perf.peer.SlotbloomKeys;
import io.github.slotbloom.perf.report.CaseReport;
import io.github.slotbloom.perf.report.Figures;
import io.github.slotbloom.perf.report.Table;
import io.github.slotbloom.perf.server.DatabaseServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Measures the bytes per key in the database for a filter that is filled to its capacity, and the
 * time until it is filled and folded.
 */
public final class Storage implements Measurement {

  private static final int ROUNDS = 3;

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    DatabaseServer database = bench.database();
    String schema = "perf_storage";
    int keys = bench.scale().storageKeys();
    double[] slotBytes = new double[ROUNDS];
    double[] tableBytes = new double[ROUNDS];
    double[] ourRates = new double[ROUNDS];
    double[] tableRates = new double[ROUNDS];
    List<List<String>> rows = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      database.emptySchema(schema);
      rows.clear();
      try (SlotbloomKeys ours = Peers.ours(database, schema, keys)) {
        ourRates[round] = fill(ours, keys, report);
        FilterInfo.Generation generation = ours.info().generations().get(0);
        double bytes = database.tableBytes(schema, generation.slotTable());
        slotBytes[round] = bytes / keys;
        rows.add(row("slots", generation.slotTable(), generation.slotRows(), bytes, keys));
        rows.add(
            row(
                "journal, until its rows are older than the retention",
                "bloom_journal",
                ours.info().journalRows(),
                database.tableBytes(schema, "bloom_journal"),
                keys));
      }
      try (HashTableKeys table = new HashTableKeys(database, schema, "hashes")) {
        tableRates[round] = fill(table, keys, report);
        double bytes = database.tableBytes(schema, "hashes");
        tableBytes[round] = bytes / keys;
        rows.add(row(table.name(), "hashes", keys, bytes, keys));
      }
    }
    database.dropSchema(schema);
    report.add(
        new Comparison(
            String.format(Locale.ROOT, "%,d keys, once folded", keys),
            "bytes/key",
            Better.LOWER,
            List.of(
                new Series("Slotbloom slot table", "", slotBytes),
                new Series(Peers.HASH_TABLE, "", tableBytes)),
            List.of(new Goal("Slotbloom slot table", Peers.HASH_TABLE, 8, "at most an eighth"))));
    String durability = database.durability();
    report.add(
        new Comparison(
            String.format(Locale.ROOT, "%,d keys added, %,d a call, and folded", keys, Keys.PART),
            "keys/s",
            Better.HIGHER,
            List.of(
                new Series("Slotbloom, and folded", durability, ourRates),
                new Series(Peers.HASH_TABLE, durability, tableRates)),
            List.of(
                new Goal("Slotbloom, and folded", Peers.HASH_TABLE, 2.2, "2.2 times as fast"))));
    report.add(
        new Table(
            "Length of the tables after ANALYZE",
            List.of("what", "table", "rows", "bytes", "bytes a key"),
            rows));
  }

  private static List<String> row(String what, String table, long rows, double bytes, int keys) {
    return List.of(
        what, "`" + table + "`", Figures.of(rows), Figures.of(bytes), Figures.of(bytes / keys));
  }

  /** {@return keys a second until all is written, with the time in which they are created} */
  private static double fill(SeenKeys keys, int count, CaseReport report) throws Exception {
    try (Caller caller = keys.caller()) {
      long begun = System.nanoTime();
      Batches.add(keys, caller, report.checks(), 0, count);
      keys.settle();
      return count * 1e9 / (System.nanoTime() - begun);
    }
  }
}
