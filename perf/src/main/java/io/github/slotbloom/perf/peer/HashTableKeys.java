package io.github.slotbloom.perf.peer;

import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyHash;
import io.github.slotbloom.core.KeyType;
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

/**
 * Stores keys without a filter, in a table whose primary key is the 64-bit hash. INSERT IGNORE
 * skips seen keys, and its row count tells how many were new. Many keys share one prepared
 * statement.
 */
public final class HashTableKeys implements SeenKeys {

  private static final int MOST_PLACEHOLDERS = 10_000;

  private final DatabaseAccount account;
  private final String durability;
  private final String table;

  public HashTableKeys(DatabaseServer server, String schema, String table) throws SQLException {
    this.account = server.account(schema);
    this.durability = server.durability();
    this.table = table;
    try (Connection connection = account.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE " + table + " (hash BIGINT NOT NULL PRIMARY KEY)");
    }
  }

  @Override
  public String name() {
    return "Table with the hash as primary key";
  }

  @Override
  public String durability() {
    return durability;
  }

  /** 64-bit hashes of a hundred million keys hardly ever collide. */
  @Override
  public double falsePositiveRate() {
    return 1e-10;
  }

  @Override
  public Caller caller() throws SQLException {
    return new HashTableCaller(account.connect(DatabaseAccount.PREPARED_BY_SERVER), table);
  }

  @Override
  public void close() {
    // The whole schema is dropped instead.
  }

  private static final class HashTableCaller implements Caller {

    private final KeyType<String> type = KeyType.text();
    private final KeyHash hash = HashAlgorithm.XXH3_64.create(0);
    private final Connection connection;
    private final String table;
    private final PreparedStatement select;
    private final Map<Integer, PreparedStatement> inserts = new HashMap<>();
    private final Map<Integer, PreparedStatement> counts = new HashMap<>();

    HashTableCaller(Connection connection, String table) throws SQLException {
      this.connection = connection;
      this.table = table;
      select = connection.prepareStatement("SELECT 1 FROM " + table + " WHERE hash = ?");
    }

    @Override
    public boolean add(String key) throws SQLException {
      return addEach(List.of(key)) == 1;
    }

    @Override
    public long addEach(List<String> keys) throws SQLException {
      PreparedStatement insert = inserts.get(keys.size());
      if (insert == null) {
        insert =
            connection.prepareStatement(
                "INSERT IGNORE INTO " + table + " VALUES (?)" + ",(?)".repeat(keys.size() - 1));
        inserts.put(keys.size(), insert);
      }
      bind(insert, keys);
      return insert.executeUpdate();
    }

    @Override
    public boolean mightContain(String key) throws SQLException {
      select.setLong(1, type.hash(key, hash));
      try (ResultSet row = select.executeQuery()) {
        return row.next();
      }
    }

    @Override
    public long seen(List<String> keys) throws SQLException {
      long found = 0;
      for (int from = 0; from < keys.size(); from += MOST_PLACEHOLDERS) {
        found += count(keys.subList(from, Math.min(keys.size(), from + MOST_PLACEHOLDERS)));
      }
      return found;
    }

    private long count(List<String> keys) throws SQLException {
      PreparedStatement count = counts.get(keys.size());
      if (count == null) {
        count =
            connection.prepareStatement(
                "SELECT COUNT(*) FROM "
                    + table
                    + " WHERE hash IN (?"
                    + ",?".repeat(keys.size() - 1)
                    + ")");
        counts.put(keys.size(), count);
      }
      bind(count, keys);
      try (ResultSet row = count.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }

    private void bind(PreparedStatement statement, List<String> keys) throws SQLException {
      int parameter = 1;
      for (String key : keys) {
        statement.setLong(parameter++, type.hash(key, hash));
      }
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }
}
