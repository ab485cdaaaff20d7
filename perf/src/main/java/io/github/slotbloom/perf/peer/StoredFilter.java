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
import java.util.ArrayList;
import java.util.List;

/**
 * The catalog's data of one generation that answers, and of its filter. FilterInfo tells more, but
 * it counts the bits of all slots, which is slow for many slots.
 */
public record StoredFilter(
    BloomParameters parameters, KeyHash hash, String slotTable, double falsePositiveRate) {

  /** Reads a filter with one generation. */
  public static StoredFilter read(DatabaseAccount account, String filter) throws SQLException {
    List<StoredFilter> generations = generations(account, filter);
    if (generations.size() != 1) {
      throw new IllegalStateException(
          "Filter " + filter + " has " + generations.size() + " generations instead of one.");
    }
    return generations.get(0);
  }

  /** Reads all active generations, oldest first. */
  public static List<StoredFilter> generations(DatabaseAccount account, String filter)
      throws SQLException {
    try (Connection connection = account.connect();
        PreparedStatement select =
            connection.prepareStatement(
                "SELECT layout, bits, hashes, hash, seed, slot_table,"
                    + " f.false_positive_rate FROM bloom_filter f JOIN bloom_generation_status g ON"
                    + " g.filter_id = f.id WHERE f.name = ? AND g.state = 'ACTIVE' ORDER BY"
                    + " g.generation")) {
      select.setString(1, filter);
      List<StoredFilter> generations = new ArrayList<>();
      try (ResultSet row = select.executeQuery()) {
        while (row.next()) {
          generations.add(
              new StoredFilter(
                  new BloomParameters(
                      Layout.valueOf(row.getString("layout")),
                      row.getLong("bits"),
                      row.getInt("hashes")),
                  HashAlgorithm.byId(row.getString("hash")).create(row.getLong("seed")),
                  row.getString("slot_table"),
                  row.getDouble("false_positive_rate")));
        }
      }
      return generations;
    }
  }
}
