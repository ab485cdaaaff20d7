package io.github.slotbloom;

import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.Sql;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.SQLException;

/** Does to a filter with plain SQL what another process would do. */
final class ByHand {

  private ByHand() {}

  /** The hash of a key in a filter with the default hash and seed. */
  static long hash(String key) {
    return KeyType.text().hash(key, HashAlgorithm.XXH3_64.create(0));
  }

  static byte[] payload(long... hashes) {
    ByteBuffer bytes = ByteBuffer.allocate(hashes.length * Long.BYTES);
    bytes.asLongBuffer().put(hashes);
    return bytes.array();
  }

  /** Appends an entry with one key to the journal, in the transaction of the connection. */
  static void append(Connection connection, String filter, String key, long token)
      throws SQLException {
    Sql.run(
        connection,
        "INSERT INTO bloom_journal SELECT id, last_seq + 1, ?, last_token, 'ADD', ?,"
            + " UTC_TIMESTAMP(3) FROM bloom_filter WHERE name = ? FOR UPDATE",
        token,
        payload(hash(key)),
        filter);
    Sql.run(
        connection,
        "UPDATE bloom_filter SET last_seq = last_seq + 1, last_token = ?, keys_added = keys_added +"
            + " 1 WHERE name = ?",
        token,
        filter);
  }

  /** A connection that holds the lock that adds to the filter take. */
  static Connection holdingLockOf(String filter, Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    Sql.run(connection, "SELECT id FROM bloom_filter WHERE name = ? FOR UPDATE", filter);
    return connection;
  }
}
