package io.github.slotbloom.testing;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyType;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.SQLException;

/** Changes a filter with plain SQL, as another process would. */
public final class ByHand {

  /** The beginning of a statement that inserts an entry, with its values to follow. */
  public static final String INSERT_ENTRY =
      "INSERT INTO bloom_journal (filter_id, seq, token, previous_token, kind, payload, created_at)";

  private ByHand() {}

  /** Returns the hash of a key in a filter with the default hash and seed. */
  public static long hash(String key) {
    return KeyType.text().hash(key, HashAlgorithm.XXH3_64.create(0));
  }

  /** Returns the same as {@link #hash(String)} for a filter of whole numbers. */
  public static long hash(long key) {
    return KeyType.longs().hash(key, HashAlgorithm.XXH3_64.create(0));
  }

  public static byte[] payload(long... hashes) {
    ByteBuffer bytes = ByteBuffer.allocate(hashes.length * Long.BYTES);
    bytes.asLongBuffer().put(hashes);
    return bytes.array();
  }

  /** Appends a journal entry with one key in the connection's transaction. */
  public static void append(Connection connection, String filter, String key, long token)
      throws SQLException {
    append(connection, filter, hash(key), token);
  }

  public static void append(Connection connection, String filter, long hash, long token)
      throws SQLException {
    Sql.run(
        connection,
        INSERT_ENTRY
            + " SELECT id, e.last_seq + 1, ?, e.token, 'ADD', ?, UTC_TIMESTAMP(3)"
            + " FROM bloom_filter JOIN bloom_journal e ON e.filter_id = id AND seq = 0"
            + " WHERE name = ? FOR UPDATE",
        token,
        payload(hash),
        filter);
    Sql.run(
        connection,
        "UPDATE bloom_journal JOIN bloom_filter ON id = filter_id SET bloom_journal.last_seq ="
            + " bloom_journal.last_seq + 1, token = ?, bloom_journal.keys_added ="
            + " bloom_journal.keys_added + 1 WHERE name = ? AND seq = 0",
        token,
        filter);
  }

  /** Returns a connection that holds the lock for adding to a filter. */
  public static Connection holdingLockOf(String filter, Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    Sql.run(connection, "SELECT id FROM bloom_filter WHERE name = ? FOR UPDATE", filter);
    return connection;
  }

  /** Returns a connection that holds the fold lock. */
  public static Connection holdingFoldLockOf(long filterId, Connection connection)
      throws SQLException {
    connection.setAutoCommit(false);
    Sql.run(connection, "SELECT * FROM bloom_fold WHERE filter_id = ? FOR UPDATE", filterId);
    return connection;
  }

  /** Deletes all entries but the last, as trimming does once the retention is over. */
  public static void trimAllButTheLast(FilterInfo filter, Sql sql) throws SQLException {
    sql.run(
        "DELETE FROM bloom_journal WHERE filter_id = ? AND seq BETWEEN 1 AND ? - 1",
        filter.id(),
        filter.lastSequence());
  }

  /** Deletes all entries after a given one, as a failover does, in the connection's transaction. */
  public static void loseEntriesAfter(long seq, long filterId, Connection connection)
      throws SQLException {
    Sql.run(
        connection,
        "UPDATE bloom_journal e JOIN (SELECT SUM(LENGTH(payload)) DIV 8 AS hashes FROM bloom_journal"
            + " WHERE filter_id = ? AND seq > ?) lost JOIN (SELECT token FROM bloom_journal WHERE"
            + " filter_id = ? AND seq = ?) newest SET e.last_seq = ?, e.keys_added = e.keys_added -"
            + " lost.hashes, e.token = newest.token WHERE e.filter_id = ? AND e.seq = 0",
        filterId,
        seq,
        filterId,
        seq,
        seq,
        filterId);
    Sql.run(connection, "DELETE FROM bloom_journal WHERE filter_id = ? AND seq > ?", filterId, seq);
  }

  /** Adds a key in a transaction of a caller, which is rolled back. */
  public static void addAndRollBack(BloomFilter<String> filter, String key, Connection connection)
      throws SQLException {
    try (Connection transaction = transaction(connection)) {
      try {
        filter.within(transaction).add(key);
      } finally {
        transaction.rollback();
      }
    }
  }

  /** Returns a connection in a READ COMMITTED transaction, as the library uses it. */
  public static Connection transaction(Connection connection) throws SQLException {
    return transaction(connection, Connection.TRANSACTION_READ_COMMITTED);
  }

  /** Returns a connection in a transaction of one of the isolation levels of JDBC. */
  public static Connection transaction(Connection connection, int isolation) throws SQLException {
    connection.setTransactionIsolation(isolation);
    connection.setAutoCommit(false);
    return connection;
  }
}
