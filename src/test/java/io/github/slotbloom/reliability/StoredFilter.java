package io.github.slotbloom.reliability;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyHash;
import io.github.slotbloom.core.Layout;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The rows of a filter in {@code bloom_filter}, {@code bloom_fold} and {@code bloom_generation}.
 */
record StoredFilter(
    long id,
    String name,
    String state,
    long epoch,
    long lastSeq,
    long lastToken,
    long keysAdded,
    long foldedSeq,
    long foldEpoch,
    KeyHash hash,
    BloomParameters parameters,
    String slotTable) {

  static StoredFilter read(Connection connection, String name) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "SELECT f.*, d.folded_seq, d.epoch AS fold_epoch, g.bits, g.hashes, g.slot_table"
                + " FROM bloom_filter f JOIN bloom_fold d ON d.filter_id = f.id"
                + " JOIN bloom_generation g ON g.filter_id = f.id WHERE f.name = ?")) {
      statement.setString(1, name);
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          throw new AssertionError("There is no filter " + name);
        }
        StoredFilter filter = of(row);
        if (row.next()) {
          throw new AssertionError("Filter " + name + " has more than one generation");
        }
        return filter;
      }
    }
  }

  private static StoredFilter of(ResultSet row) throws SQLException {
    Layout layout = Layout.valueOf(row.getString("layout"));
    return new StoredFilter(
        row.getLong("id"),
        row.getString("name"),
        row.getString("state"),
        row.getLong("epoch"),
        row.getLong("last_seq"),
        row.getLong("last_token"),
        row.getLong("keys_added"),
        row.getLong("folded_seq"),
        row.getLong("fold_epoch"),
        HashAlgorithm.byId(row.getString("hash")).create(row.getLong("seed")),
        new BloomParameters(layout, row.getLong("bits"), row.getInt("hashes")),
        row.getString("slot_table"));
  }
}
