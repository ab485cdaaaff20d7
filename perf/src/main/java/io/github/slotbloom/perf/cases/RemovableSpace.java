package io.github.slotbloom.perf.cases;

import io.github.slotbloom.core.Layout;
import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.measure.Checks;
import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.peer.RemovingCaller;
import io.github.slotbloom.perf.peer.SlotbloomKeys;
import io.github.slotbloom.perf.server.DatabaseServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What our filter takes for each of some keys.
 *
 * @param bits in memory
 * @param bytes in the database
 */
record RemovableSpace(double bits, double bytes) {

  private static final String EMPTY = "empty_";
  private static final String FULL = "full_";

  /** Measures filters that are full. In memory they are as large as empty ones. */
  static Map<Layout, RemovableSpace> ofKeys(
      Bench bench, String schema, double falsePositiveRate, Checks checks) throws Exception {
    Map<Layout, RemovableSpace> spaces = new EnumMap<>(Layout.class);
    Iterator<Long> heaps = heaps(bench, schema, falsePositiveRate).iterator();
    for (Layout layout : Layout.values()) {
      spaces.put(
          layout,
          new RemovableSpace(
              8.0 * heaps.next() / bench.scale().removalMemoryKeys(),
              tableBytes(bench, schema, layout, falsePositiveRate, checks)));
    }
    return spaces;
  }

  private static List<Long> heaps(Bench bench, String schema, double falsePositiveRate)
      throws Exception {
    DatabaseServer database = bench.database();
    SlotbloomKeys.reserveRemovable(
            database,
            schema,
            HeapOfFilter.FIRST,
            Layout.BLOCKED,
            HeapOfFilter.KEYS_OF_FIRST,
            falsePositiveRate)
        .close();
    int keys = bench.scale().removalMemoryKeys();
    for (Layout layout : Layout.values()) {
      SlotbloomKeys.reserveRemovable(
              database, schema, name(EMPTY, layout), layout, keys, falsePositiveRate)
          .close();
    }
    return HeapOfFilter.ours(
        bench,
        database.account(schema),
        Arrays.stream(Layout.values()).map(layout -> name(EMPTY, layout)).toList());
  }

  private static double tableBytes(
      Bench bench, String schema, Layout layout, double falsePositiveRate, Checks checks)
      throws Exception {
    int keys = bench.scale().removalTableKeys();
    try (SlotbloomKeys ours =
            SlotbloomKeys.reserveRemovable(
                bench.database(), schema, name(FULL, layout), layout, keys, falsePositiveRate);
        RemovingCaller caller = ours.caller()) {
      Batches.add(ours, caller, checks, 0, keys);
      ours.settle();
      String table = ours.info().generations().get(0).slotTable();
      return (double) bench.database().tableBytes(schema, table) / keys;
    }
  }

  /** Measures what the removed keys take beside that, when all keys of a filter are removed. */
  static RemovableSpace ofRemovedKeys(Bench bench, String schema, Checks checks) throws Exception {
    DatabaseServer database = bench.database();
    String full = name(FULL, Layout.BLOCKED);
    int keys = bench.scale().removalTableKeys();
    long before = HeapOfFilter.ours(bench, database.account(schema), List.of(full)).get(0);
    try (SlotbloomKeys ours = SlotbloomKeys.strict(database, schema, full);
        RemovingCaller caller = ours.caller()) {
      long removed = 0;
      for (List<String> some : Keys.inParts(0, keys)) {
        removed += caller.removeEach(some);
      }
      checks.expect(
          removed == keys, "%s: of %,d added keys %,d were removed", ours.name(), keys, removed);
      ours.settle();
    }
    long after = HeapOfFilter.ours(bench, database.account(schema), List.of(full)).get(0);
    String table = removedTable(database, schema, full);
    return new RemovableSpace(
        8.0 * (after - before) / keys, (double) database.tableBytes(schema, table) / keys);
  }

  private static String removedTable(DatabaseServer database, String schema, String filter)
      throws SQLException {
    try (Connection connection = database.account(schema).connect();
        PreparedStatement select =
            connection.prepareStatement(
                "SELECT removed_table FROM bloom_filter_status WHERE name = ?")) {
      select.setString(1, filter);
      try (ResultSet row = select.executeQuery()) {
        row.next();
        return row.getString(1);
      }
    }
  }

  private static String name(String prefix, Layout layout) {
    return prefix + layout.name().toLowerCase(Locale.ROOT);
  }
}
