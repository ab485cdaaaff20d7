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

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    DatabaseServer database = bench.database();
    String schema = "perf_storage";
    database.emptySchema(schema);
    String durability = database.durability();
    int keys = bench.scale().storageKeys();
    List<List<String>> rows = new ArrayList<>();
    double slotBytes;
    double ourSeconds;
    try (SlotbloomKeys ours = Peers.ours(database, schema, keys)) {
      ourSeconds = fill(ours, keys, report);
      FilterInfo.Generation generation = ours.info().generations().get(0);
      slotBytes = database.tableBytes(schema, generation.slotTable());
      rows.add(row("slots", generation.slotTable(), generation.slotRows(), slotBytes, keys));
      rows.add(
          row(
              "journal, until its rows are older than the retention",
              "bloom_journal",
              ours.info().journalRows(),
              database.tableBytes(schema, "bloom_journal"),
              keys));
    }
    double tableBytes;
    double tableSeconds;
    try (HashTableKeys table = new HashTableKeys(database, schema, "hashes")) {
      tableSeconds = fill(table, keys, report);
      tableBytes = database.tableBytes(schema, "hashes");
      rows.add(row(table.name(), "hashes", keys, tableBytes, keys));
    }
    database.dropSchema(schema);
    report.add(
        new Comparison(
            String.format(Locale.ROOT, "%,d keys, once folded", keys),
            "bytes/key",
            Better.LOWER,
            List.of(
                new Series("Slotbloom slot table", "", new double[] {slotBytes / keys}),
                new Series(Peers.HASH_TABLE, "", new double[] {tableBytes / keys})),
            List.of(new Goal("Slotbloom slot table", Peers.HASH_TABLE, 8, "at most an eighth"))));
    report.add(
        new Comparison(
            String.format(Locale.ROOT, "%,d keys added, %,d a call, and folded", keys, Keys.PART),
            "keys/s",
            Better.HIGHER,
            List.of(
                new Series("Slotbloom, and folded", durability, new double[] {keys / ourSeconds}),
                new Series(Peers.HASH_TABLE, durability, new double[] {keys / tableSeconds})),
            List.of(
                new Goal("Slotbloom, and folded", Peers.HASH_TABLE, 1.5, "1.5 times as fast"))));
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

  /** {@return the seconds until all is written, with those in which keys are created} */
  private static double fill(SeenKeys keys, int count, CaseReport report) throws Exception {
    try (Caller caller = keys.caller()) {
      long begun = System.nanoTime();
      Batches.add(keys, caller, report.checks(), 0, count);
      keys.settle();
      return (System.nanoTime() - begun) / 1e9;
    }
  }
}
