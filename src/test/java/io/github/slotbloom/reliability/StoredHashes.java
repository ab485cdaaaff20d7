package io.github.slotbloom.reliability;

import io.github.slotbloom.testing.Sql;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;

/** The hashes of keys that left the journal of a filter, since its last clear. */
final class StoredHashes {

  private StoredHashes() {}

  static Set<Long> read(Connection connection, StoredFilter filter) throws SQLException {
    Set<Long> hashes = new HashSet<>();
    for (byte[] block :
        Sql.read(
            connection,
            "SELECT hashes FROM bloom_hash_block WHERE filter_id = ? AND begins = ?",
            row -> row.getBytes(1),
            filter.id(),
            filter.manifest().begins())) {
      for (int at = 0; at < block.length; at += Long.BYTES) {
        hashes.add(ByteBuffer.wrap(block).getLong(at));
      }
    }
    return hashes;
  }
}
