package io.github.slotbloom.perf.cases;

import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Measurement;
import io.github.slotbloom.perf.measure.Better;
import io.github.slotbloom.perf.measure.Comparison;
import io.github.slotbloom.perf.measure.Goal;
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

/** Measures the bytes per key in the database for a filter that is filled to its capacity. */
public final class Storage implements Measurement {

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    DatabaseServer database = bench.database();
    String schema = "perf_storage";
    database.emptySchema(schema);
    int keys = bench.scale().storageKeys();
    List<List<String>> rows = new ArrayList<>();
    double slotBytes;
    try (SlotbloomKeys ours = Peers.ours(database, schema, keys)) {
      fill(ours, keys, report);
      ours.settle();
      FilterInfo.Generation generation = ours.filter().info().generations().get(0);
      slotBytes = database.tableBytes(schema, generation.slotTable());
      rows.add(row("slots", generation.slotTable(), generation.slotRows(), slotBytes, keys));
      rows.add(
          row(
              "journal, until its rows are older than the retention",
              "bloom_journal",
              ours.filter().info().journalRows(),
              database.tableBytes(schema, "bloom_journal"),
              keys));
    }
    double tableBytes;
    try (HashTableKeys table = new HashTableKeys(database, schema, "hashes")) {
      fill(table, keys, report);
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
        new Table(
            "Length of the tables after ANALYZE",
            List.of("what", "table", "rows", "bytes", "bytes a key"),
            rows));
  }

  private static List<String> row(String what, String table, long rows, double bytes, int keys) {
    return List.of(
        what, "`" + table + "`", Figures.of(rows), Figures.of(bytes), Figures.of(bytes / keys));
  }

  private static void fill(SeenKeys keys, int count, CaseReport report) throws Exception {
    try (Caller caller = keys.caller()) {
      Batches.add(keys, caller, report.checks(), 0, count);
    }
  }
}
