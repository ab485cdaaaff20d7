package io.github.slotbloom.perf.peer;

import io.github.slotbloom.perf.measure.Checks;
import io.github.slotbloom.perf.measure.Keys;
import io.github.slotbloom.perf.server.DatabaseAccount;
import io.github.slotbloom.perf.server.DatabaseServer;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * The least that a durable add can send: the payload of a journal entry, in one INSERT that commits
 * by itself. It locks nothing, checks nothing and answers nothing, so it is no set of seen keys. It
 * tells how fast the server and the driver are.
 */
public final class JdbcFloor {

  public static final String NAME = "JDBC floor";

  /** As many as in an entry of the journal. */
  static final int MOST_KEYS_IN_A_ROW = 8_192;

  private static final String TABLE = "raw_journal";
  private static final long FILTER_ID = 1;

  private final DatabaseAccount account;
  private final AtomicLong lastSeq = new AtomicLong();
  private final LongAdder keysSent = new LongAdder();

  /** Creates a table like the journal. */
  public JdbcFloor(DatabaseServer server, String schema) throws SQLException {
    account = server.account(schema);
    try (Connection connection = account.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE "
              + TABLE
              + " (filter_id BIGINT UNSIGNED NOT NULL, seq BIGINT UNSIGNED NOT NULL,"
              + " token BIGINT NOT NULL, payload MEDIUMBLOB NOT NULL,"
              + " created_at DATETIME(3) NOT NULL, PRIMARY KEY (filter_id, seq))");
    }
  }

  /** Creates an appender with its own connection, for one thread at a time. */
  public Appender appender() throws SQLException {
    return new Appender(account.connect(DatabaseAccount.PREPARED_BY_SERVER));
  }

  /** Returns how many rows hold so many keys. */
  static int rows(int keys) {
    return (keys + MOST_KEYS_IN_A_ROW - 1) / MOST_KEYS_IN_A_ROW;
  }

  /** Returns how many of the keys are in this row, which is counted from 0. */
  static int keysInRow(int keys, int row) {
    return Math.min(MOST_KEYS_IN_A_ROW, keys - row * MOST_KEYS_IN_A_ROW);
  }

  /** Checks that the table has all rows and bytes that were sent. Nothing may be under way. */
  public void requireStored(Checks checks) throws SQLException {
    try (Connection connection = account.connect();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT COUNT(*), COALESCE(SUM(LENGTH(payload)), 0) FROM " + TABLE)) {
      row.next();
      checks.stored(NAME, "rows", lastSeq.get(), row.getLong(1));
      checks.stored(NAME, "bytes", keysSent.sum() * Long.BYTES, row.getLong(2));
    }
  }

  /** Appends keys, one transaction a call. */
  public final class Appender implements AutoCloseable {

    private final Connection connection;
    private final Map<Integer, PreparedStatement> inserts = new HashMap<>();
    private long token;

    private Appender(Connection connection) {
      this.connection = connection;
    }

    /** Appends the first keys of the array. */
    public void append(long[] keys, int count) throws SQLException {
      int rows = rows(count);
      PreparedStatement insert = insert(rows);
      long firstSeq = lastSeq.addAndGet(rows) - rows + 1;
      int parameter = 1;
      for (int row = 0; row < rows; row++) {
        int keysInRow = keysInRow(count, row);
        byte[] payload = new byte[keysInRow * Long.BYTES];
        ByteBuffer.wrap(payload).asLongBuffer().put(keys, row * MOST_KEYS_IN_A_ROW, keysInRow);
        insert.setLong(parameter++, FILTER_ID);
        insert.setLong(parameter++, firstSeq + row);
        insert.setLong(parameter++, Keys.scrambled(token++));
        insert.setBytes(parameter++, payload);
      }
      insert.executeUpdate();
      keysSent.add(count);
    }

    private PreparedStatement insert(int rows) throws SQLException {
      PreparedStatement insert = inserts.get(rows);
      if (insert == null) {
        String row = "(?, ?, ?, ?, UTC_TIMESTAMP(3))";
        insert =
            connection.prepareStatement(
                "INSERT INTO " + TABLE + " VALUES " + row + (", " + row).repeat(rows - 1));
        inserts.put(rows, insert);
      }
      return insert;
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }
}
