package io.github.slotbloom.perf.peer;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyHash;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.internal.bits.Probe;
import io.github.slotbloom.perf.server.DatabaseAccount;
import io.github.slotbloom.perf.server.DatabaseServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;

/**
 * A simple Bloom filter in MySQL, as a first attempt would be. For one key at a time, it selects
 * the slots, writes each slot that lacks a bit, and commits. It has no batches. Safe for one caller
 * at a time.
 */
public final class TextbookKeys implements SeenKeys {

  private final DatabaseAccount account;
  private final String durability;
  private final String table;
  private final double falsePositiveRate;
  private final BloomParameters parameters;

  public TextbookKeys(
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
              + " (slot BIGINT UNSIGNED NOT NULL PRIMARY KEY, bits BIGINT UNSIGNED NOT NULL)");
    }
  }

  @Override
  public String name() {
    return "Textbook MySQL";
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
  public Caller caller() throws SQLException {
    return new TextbookCaller(account.connect(DatabaseAccount.PREPARED_BY_SERVER));
  }

  @Override
  public void close() {
    // The whole schema is dropped instead.
  }

  private final class TextbookCaller implements Caller {

    private final KeyType<String> type = KeyType.text();
    private final KeyHash hash = HashAlgorithm.XXH3_64.create(0);
    private final Probe probe = Probe.of(parameters);
    private final Connection connection;
    private final PreparedStatement select;
    private final PreparedStatement write;

    TextbookCaller(Connection connection) throws SQLException {
      this.connection = connection;
      connection.setAutoCommit(false);
      select =
          connection.prepareStatement(
              "SELECT slot, bits FROM "
                  + table
                  + " WHERE slot IN (?"
                  + ",?".repeat(parameters.hashes() - 1)
                  + ")");
      write =
          connection.prepareStatement(
              "INSERT INTO "
                  + table
                  + " VALUES (?, ?) ON DUPLICATE KEY UPDATE bits = bits | VALUES(bits)");
    }

    @Override
    public boolean add(String key) throws SQLException {
      Map<Long, Long> missing = missing(key);
      for (Map.Entry<Long, Long> slot : missing.entrySet()) {
        write.setLong(1, slot.getKey());
        write.setString(2, Long.toUnsignedString(slot.getValue()));
        write.executeUpdate();
      }
      connection.commit();
      return !missing.isEmpty();
    }

    /** Returns the missing bits of the key by slot. */
    private Map<Long, Long> missing(String key) throws SQLException {
      Map<Long, Long> missing = new TreeMap<>();
      probe.forEachMask(
          type.hash(key, hash), (slot, mask) -> missing.merge(slot, mask, (a, b) -> a | b));
      int parameter = 1;
      for (long slot : missing.keySet()) {
        select.setLong(parameter++, slot);
      }
      while (parameter <= parameters.hashes()) {
        select.setLong(parameter++, -1);
      }
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          long bits = Long.parseUnsignedLong(rows.getString(2));
          missing.computeIfPresent(
              rows.getLong(1), (slot, mask) -> (mask & ~bits) == 0 ? null : mask & ~bits);
        }
      }
      return missing;
    }

    @Override
    public boolean mightContain(String key) throws SQLException {
      boolean seen = missing(key).isEmpty();
      connection.commit();
      return seen;
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }
}
