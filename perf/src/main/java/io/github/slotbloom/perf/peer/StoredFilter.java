package io.github.slotbloom.perf.peer;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyHash;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.perf.server.DatabaseAccount;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The catalog's data of a filter with one generation. FilterInfo tells more, but it counts the bits
 * of all slots, which is slow for many slots.
 */
public record StoredFilter(
    BloomParameters parameters, KeyHash hash, String slotTable, double errorRate) {

  public static StoredFilter read(DatabaseAccount account, String filter) throws SQLException {
    try (Connection connection = account.connect();
        PreparedStatement select =
            connection.prepareStatement(
                "SELECT layout, bits, hashes, hash, seed, slot_table, f.false_positive_rate"
                    + " FROM bloom_filter f JOIN bloom_generation g ON g.filter_id = f.id"
                    + " WHERE f.name = ?")) {
      select.setString(1, filter);
      try (ResultSet row = select.executeQuery()) {
        if (!row.next()) {
          throw new IllegalStateException("There is no filter " + filter + ".");
        }
        return new StoredFilter(
            new BloomParameters(
                Layout.valueOf(row.getString("layout")), row.getLong("bits"), row.getInt("hashes")),
            HashAlgorithm.byId(row.getString("hash")).create(row.getLong("seed")),
            row.getString("slot_table"),
            row.getDouble("false_positive_rate"));
      }
    }
  }
}
