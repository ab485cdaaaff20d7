package io.github.slotbloom.perf.cases;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyHash;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.internal.bits.Probe;
import io.github.slotbloom.perf.Bench;
import io.github.slotbloom.perf.Measurement;
import io.github.slotbloom.perf.Scale;
import io.github.slotbloom.perf.measure.Better;
import io.github.slotbloom.perf.measure.Contest;
import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.peer.Caller;
import io.github.slotbloom.perf.peer.SlotbloomKeys;
import io.github.slotbloom.perf.report.CaseReport;
import io.github.slotbloom.perf.server.DatabaseAccount;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Measures the folding of a backlog. Compares it with raw JDBC that writes the resulting rows,
 * merged and sorted in advance, into a table with the same content.
 */
public final class Folding implements Measurement {

  private static final String SCHEMA = "perf_fold";
  private static final String RAW_TABLE = "raw_slots";
  private static final String RAW = "Sorted multi-row upserts by JDBC";
  private static final int MOST_ROWS_A_COMMIT = 250_000;

  /** The first trial tries all sizes on parts of its rows. All later trials use the fastest. */
  private static final List<Integer> CHUNKS = List.of(500, 2_000, 8_000, 25_000);

  private int chunk;

  @Override
  public void run(Bench bench, CaseReport report) throws Exception {
    Scale scale = bench.scale();
    DatabaseAccount account = bench.database().emptySchema(SCHEMA);
    long capacity = scale.foldCapacity();
    long filled = capacity / 2;
    reserveAndFill(account, capacity, filled);
    chunk = 0;
    try (SlotbloomKeys ours = SlotbloomKeys.strict(bench.database(), SCHEMA, "seen");
        Connection raw = account.connect()) {
      FilterInfo info = ours.info();
      String table = info.generations().get(0).slotTable();
      execute(raw, "CREATE TABLE " + RAW_TABLE + " LIKE " + table);
      execute(raw, "INSERT INTO " + RAW_TABLE + " SELECT * FROM " + table);
      raw.setAutoCommit(false);
      int backlog = scale.foldBacklog();
      Contest contest =
          new Contest(
              String.format(
                  Locale.ROOT, "%,d keys into a half-full filter for %,d", backlog, capacity),
              "rows/s",
              Better.HIGHER);
      contest.enter(
          "Slotbloom fold",
          ours.durability(),
          round -> {
            long first = filled + (long) round * backlog;
            double seconds = fold(ours, account, first, backlog, report);
            return merged(info, first, backlog).size() / seconds;
          });
      contest.enter(
          RAW,
          ours.durability(),
          round -> write(raw, merged(info, filled + (long) round * backlog, backlog)));
      contest.goal(RAW, 0.8, "at least 0.8 of its rate");
      report.add(contest.run(scale.warmUps(), scale.rounds()));
      report
          .checks()
          .expect(
              contents(raw, table).equals(contents(raw, RAW_TABLE)),
              "The slot table and the raw table differ: %s and %s",
              contents(raw, table),
              contents(raw, RAW_TABLE));
    }
    bench.database().dropSchema(SCHEMA);
    report.note(
        String.format(
            Locale.ROOT,
            "The backlog is held up by a lock on the filter's row in `bloom_fold` until all of it"
                + " is there. JDBC wrote %,d rows a statement, the fastest of %s; merging and"
                + " sorting is not in its time, while it is in that of folding.",
            chunk,
            CHUNKS));
  }

  private static void reserveAndFill(DatabaseAccount account, long capacity, long filled)
      throws SQLException {
    try (HikariDataSource pool = account.pool(2);
        SlotBloom bloom = SlotBloom.on(pool)) {
      bloom.migrate();
      bloom.reserve("seen", SlotbloomKeys.spec(capacity, Peers.FALSE_POSITIVE_RATE)).close();
      new SlotFill<>(KeyType.text(), Keys::text).fill(account, "seen", filled);
    }
  }

  private static double fold(
      SlotbloomKeys ours, DatabaseAccount account, long first, int backlog, CaseReport report)
      throws Exception {
    try (Connection lock = account.connect();
        Caller caller = ours.caller()) {
      lock.setAutoCommit(false);
      // Folding skips a locked row.
      execute(lock, "SELECT folded_seq FROM bloom_fold FOR UPDATE");
      Batches.add(ours, caller, report.checks(), first, backlog);
      long begun = System.nanoTime();
      lock.rollback();
      ours.settle();
      double seconds = (System.nanoTime() - begun) / 1e9;
      report
          .checks()
          .expect(ours.info().backlog() == 0, "fold() left a backlog in round of %d", first);
      return seconds;
    }
  }

  private static Map<Long, Long> merged(FilterInfo info, long first, int count) {
    FilterInfo.Generation generation = info.generations().get(0);
    Probe probe =
        Probe.of(new BloomParameters(info.layout(), generation.bits(), generation.hashes()));
    KeyHash hash = HashAlgorithm.byId(info.hash()).create(info.seed().value());
    Map<Long, Long> rows = new TreeMap<>();
    for (long number = first; number < first + count; number++) {
      probe.forEachMask(
          KeyType.text().hash(Keys.text(number), hash),
          (slot, mask) -> rows.merge(slot, mask, (a, b) -> a | b));
    }
    return rows;
  }

  private double write(Connection raw, Map<Long, Long> merged) throws SQLException {
    List<Map.Entry<Long, Long>> rows = List.copyOf(merged.entrySet());
    if (chunk == 0) {
      int part = rows.size() / CHUNKS.size();
      double best = 0;
      for (int i = 0; i < CHUNKS.size(); i++) {
        int end = i + 1 == CHUNKS.size() ? rows.size() : (i + 1) * part;
        double rate = write(raw, rows.subList(i * part, end), CHUNKS.get(i));
        if (rate > best) {
          best = rate;
          chunk = CHUNKS.get(i);
        }
      }
      return best;
    }
    return write(raw, rows, chunk);
  }

  private static double write(Connection raw, List<Map.Entry<Long, Long>> rows, int chunk)
      throws SQLException {
    List<List<Map.Entry<Long, Long>>> chunks = new ArrayList<>();
    for (int from = 0; from < rows.size(); from += chunk) {
      chunks.add(rows.subList(from, Math.min(rows.size(), from + chunk)));
    }
    long begun = System.nanoTime();
    int sinceCommit = 0;
    for (List<Map.Entry<Long, Long>> some : chunks) {
      StringBuilder upsert = new StringBuilder("INSERT INTO " + RAW_TABLE + " VALUES ");
      String separator = "(";
      for (Map.Entry<Long, Long> row : some) {
        upsert.append(separator).append((long) row.getKey()).append(',');
        upsert.append(Long.toUnsignedString(row.getValue())).append(')');
        separator = ",(";
      }
      execute(raw, upsert.append(" ON DUPLICATE KEY UPDATE bits = bits | VALUES(bits)").toString());
      sinceCommit += some.size();
      if (sinceCommit >= MOST_ROWS_A_COMMIT) {
        raw.commit();
        sinceCommit = 0;
      }
    }
    raw.commit();
    return rows.size() / ((System.nanoTime() - begun) / 1e9);
  }

  /** Returns the number of rows and a sum over their contents. */
  private static String contents(Connection connection, String table) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT COUNT(*), BIT_XOR(CRC32(CONCAT(slot, ':', bits))) FROM " + table)) {
      row.next();
      return row.getString(1) + " rows, " + row.getString(2);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
