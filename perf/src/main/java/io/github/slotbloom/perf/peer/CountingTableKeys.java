package io.github.slotbloom.perf.peer;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyHash;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.internal.bits.Probe;
import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.server.DatabaseAccount;
import io.github.slotbloom.perf.server.DatabaseServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;

/**
 * A counting Bloom filter in MySQL, with sixteen counters of 4 bits in a row. All keys of a call
 * share a transaction: it locks the rows of their counters, counts up or down, and writes those
 * that changed. The statements have many rows each and are prepared by the server. Safe for one
 * caller at a time: two that insert the same rows could wait for each other.
 *
 * <p>{@code UPDATE ... SET counters = counters + ?} would need no reading. But a sum cannot stop at
 * 15, so a counter would overflow into its neighbor, and nobody would know which keys were there.
 */
public final class CountingTableKeys implements RemovableKeys {

  private static final int MOST_ROWS_A_STATEMENT = 2_048;

  /** A transaction of many more rows holds up others while it is written to the binary log. */
  private static final int STATEMENTS_A_COMMIT = 10;

  private final DatabaseAccount account;
  private final String durability;
  private final String table;
  private final double falsePositiveRate;
  private final BloomParameters parameters;

  public CountingTableKeys(
      DatabaseServer server, String schema, String table, long capacity, double falsePositiveRate)
      throws SQLException {
    this.account = server.account(schema);
    this.durability = server.durability();
    this.table = table;
    this.falsePositiveRate = falsePositiveRate;
    parameters = Sizing.forCapacity(Layout.STANDARD, capacity, falsePositiveRate);
    try (Connection connection = account.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE "
              + table
              + " (slot BIGINT NOT NULL PRIMARY KEY, counters BIGINT NOT NULL)");
    }
  }

  @Override
  public String name() {
    return "Counting filter in MySQL";
  }

  @Override
  public String durability() {
    return durability;
  }

  @Override
  public double falsePositiveRate() {
    return falsePositiveRate;
  }

  @Override
  public RemovingCaller caller() throws SQLException {
    return new CountingCaller();
  }

  /**
   * Adds the keys 0 to count - 1 to the empty table. They are counted in memory, and the rows are
   * written in their order, which takes the least time and leaves the smallest table.
   */
  public void fill(int count) throws SQLException {
    try (CountingCaller caller = new CountingCaller()) {
      long[] counters = new long[Math.toIntExact(parameters.bits() / SixteenCounters.COUNTERS + 1)];
      for (long number = 0; number < count; number++) {
        for (long position : caller.positions(List.of(Keys.text(number)))) {
          int slot = (int) (position / SixteenCounters.COUNTERS);
          int index = (int) (position % SixteenCounters.COUNTERS);
          counters[slot] = SixteenCounters.up(counters[slot], index);
        }
      }
      caller.insert(counters);
    }
  }

  @Override
  public void close() {
    // The whole schema is dropped instead.
  }

  private final class CountingCaller implements RemovingCaller {

    private final KeyType<String> type = KeyType.text();
    private final KeyHash hash = HashAlgorithm.XXH3_64.create(0);
    private final Probe probe = Probe.of(parameters);
    private final Connection connection = account.connect(DatabaseAccount.PREPARED_BY_SERVER);
    private final Map<String, PreparedStatement> statements = new HashMap<>();

    CountingCaller() throws SQLException {
      connection.setAutoCommit(false);
    }

    @Override
    public boolean add(String key) throws SQLException {
      return addEach(List.of(key)) == 1;
    }

    @Override
    public long addEach(List<String> keys) throws SQLException {
      CounterRows rows = rows(keys);
      return change(rows, rows::add);
    }

    @Override
    public boolean remove(String key) throws SQLException {
      return removeEach(List.of(key)) == 1;
    }

    @Override
    public long removeEach(List<String> keys) throws SQLException {
      CounterRows rows = rows(keys);
      return change(rows, rows::remove);
    }

    @Override
    public boolean mightContain(String key) throws SQLException {
      return seen(List.of(key)) == 1;
    }

    @Override
    public long seen(List<String> keys) throws SQLException {
      CounterRows rows = rows(keys);
      read(rows, "");
      connection.commit();
      return count(rows, rows::contains);
    }

    private long change(CounterRows rows, IntPredicate change) throws SQLException {
      read(rows, " FOR UPDATE");
      long changed = count(rows, change);
      write(rows);
      connection.commit();
      return changed;
    }

    private static long count(CounterRows rows, IntPredicate answer) {
      long yes = 0;
      for (int key = 0; key < rows.keys(); key++) {
        yes += answer.test(key) ? 1 : 0;
      }
      return yes;
    }

    private CounterRows rows(List<String> keys) {
      return new CounterRows(positions(keys), parameters.hashes());
    }

    private long[] positions(List<String> keys) {
      long[] positions = new long[keys.size() * parameters.hashes()];
      int[] next = new int[1];
      for (String key : keys) {
        probe.forEachMask(
            type.hash(key, hash),
            (slot, mask) ->
                positions[next[0]++] = slot * Long.SIZE + Long.numberOfTrailingZeros(mask));
      }
      return positions;
    }

    private void read(CounterRows rows, String locking) throws SQLException {
      long[] slots = rows.slots();
      for (int from = 0; from < slots.length; from += MOST_ROWS_A_STATEMENT) {
        int places = places(slots.length - from);
        PreparedStatement select =
            prepared(
                "SELECT slot, counters FROM "
                    + table
                    + " WHERE slot IN (?"
                    + ",?".repeat(places - 1)
                    + ")"
                    + locking);
        for (int place = 0; place < places; place++) {
          select.setLong(place + 1, slots[Math.min(from + place, slots.length - 1)]);
        }
        try (ResultSet row = select.executeQuery()) {
          while (row.next()) {
            rows.read(row.getLong(1), row.getLong(2));
          }
        }
      }
    }

    private void write(CounterRows rows) throws SQLException {
      int[] changed = rows.changed();
      for (int from = 0; from < changed.length; from += MOST_ROWS_A_STATEMENT) {
        int places = places(changed.length - from);
        PreparedStatement upsert = prepared(upsert(places));
        for (int place = 0; place < places; place++) {
          int row = changed[Math.min(from + place, changed.length - 1)];
          upsert.setLong(2 * place + 1, rows.slots()[row]);
          upsert.setLong(2 * place + 2, rows.counters(row));
        }
        upsert.executeUpdate();
      }
    }

    private void insert(long[] counters) throws SQLException {
      int statement = 0;
      for (int from = 0; from < counters.length; from += MOST_ROWS_A_STATEMENT) {
        int places = places(counters.length - from);
        PreparedStatement upsert = prepared(upsert(places));
        for (int place = 0; place < places; place++) {
          int slot = Math.min(from + place, counters.length - 1);
          upsert.setLong(2 * place + 1, slot);
          upsert.setLong(2 * place + 2, counters[slot]);
        }
        upsert.executeUpdate();
        if (++statement % STATEMENTS_A_COMMIT == 0) {
          connection.commit();
        }
      }
      connection.commit();
    }

    private String upsert(int places) {
      return "INSERT INTO "
          + table
          + " VALUES (?, ?)"
          + ", (?, ?)".repeat(places - 1)
          + " ON DUPLICATE KEY UPDATE counters = VALUES(counters)";
    }

    /**
     * Returns a power of two, so that few statements serve all numbers of rows. The last row fills
     * the places that are left.
     */
    private static int places(int rows) {
      return rows >= MOST_ROWS_A_STATEMENT
          ? MOST_ROWS_A_STATEMENT
          : Integer.highestOneBit(Math.max(1, 2 * rows - 1));
    }

    private PreparedStatement prepared(String text) throws SQLException {
      PreparedStatement statement = statements.get(text);
      if (statement == null) {
        statement = connection.prepareStatement(text);
        statements.put(text, statement);
      }
      return statement;
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }
}
