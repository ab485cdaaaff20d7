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
import java.time.LocalDate;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Keeps the days of keys in a table of 64-bit hashes. A list is one SELECT of those that any day
 * has, and one INSERT of the others. That is right for one writer.
 */
public abstract sealed class TableWindow implements WindowKeys
    permits PartitionedWindow, PurgedWindow {

  private final String name;
  private final DatabaseServer server;
  private final String schema;
  private final String table;
  private final KeyType<String> type = KeyType.text();
  private final KeyHash hash = HashAlgorithm.XXH3_64.create(0);
  private final Connection adding;
  private final Connection purging;
  private final Map<Integer, PreparedStatement> selects = new HashMap<>();
  private final Map<Integer, PreparedStatement> inserts = new HashMap<>();
  private volatile LocalDate day;

  /**
   * Creates an empty table.
   *
   * @param partitions what follows its columns; empty if it has no partitions
   */
  TableWindow(
      String name,
      DatabaseServer server,
      String schema,
      String table,
      String partitions,
      LocalDate day)
      throws SQLException {
    this.name = name;
    this.server = server;
    this.schema = schema;
    this.table = table;
    this.day = day;
    DatabaseAccount account = server.account(schema);
    adding = account.connect(DatabaseAccount.PREPARED_BY_SERVER);
    purging = account.connect();
    // Under REPEATABLE READ a DELETE locks the gaps that an INSERT needs, and they deadlock.
    adding.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    purging.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    execute(
        "CREATE TABLE "
            + table
            + " (hash BIGINT NOT NULL, day DATE NOT NULL, PRIMARY KEY (hash, day))"
            + partitions);
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final String durability() {
    return server.durability();
  }

  /** 64-bit hashes of so few keys hardly ever collide. */
  @Override
  public final double falsePositiveRate() {
    return 1e-10;
  }

  @Override
  public final boolean[] addEach(List<String> keys) throws SQLException {
    long[] hashes = keys.stream().mapToLong(key -> type.hash(key, hash)).toArray();
    Set<Long> known = known(hashes);
    boolean[] isNew = new boolean[hashes.length];
    int count = 0;
    for (int i = 0; i < hashes.length; i++) {
      isNew[i] = known.add(hashes[i]);
      count += isNew[i] ? 1 : 0;
    }
    if (count > 0) {
      insert(hashes, isNew, count);
    }
    return isNew;
  }

  private Set<Long> known(long[] hashes) throws SQLException {
    PreparedStatement select = selects.get(hashes.length);
    if (select == null) {
      select =
          adding.prepareStatement(
              "SELECT hash FROM "
                  + table
                  + " WHERE hash IN (?"
                  + ",?".repeat(hashes.length - 1)
                  + ")");
      selects.put(hashes.length, select);
    }
    for (int i = 0; i < hashes.length; i++) {
      select.setLong(i + 1, hashes[i]);
    }
    Set<Long> known = new HashSet<>();
    try (ResultSet rows = select.executeQuery()) {
      while (rows.next()) {
        known.add(rows.getLong(1));
      }
    }
    return known;
  }

  private void insert(long[] hashes, boolean[] isNew, int count) throws SQLException {
    PreparedStatement insert = inserts.get(count);
    if (insert == null) {
      insert =
          adding.prepareStatement(
              "INSERT INTO " + table + " VALUES (?,?)" + ",(?,?)".repeat(count - 1));
      inserts.put(count, insert);
    }
    LocalDate today = day;
    int parameter = 1;
    for (int i = 0; i < hashes.length; i++) {
      if (isNew[i]) {
        insert.setLong(parameter++, hashes[i]);
        insert.setObject(parameter++, today);
      }
    }
    insert.executeUpdate();
  }

  @Override
  public final void begin(LocalDate next) throws SQLException {
    day = next;
    purge(next.minusDays(DAYS));
  }

  /** Removes the keys of the days before the oldest one whose keys are known. */
  abstract void purge(LocalDate oldest) throws SQLException;

  /** Runs a statement on the connection for purging. */
  final void execute(String sql) throws SQLException {
    try (Statement statement = purging.createStatement()) {
      statement.execute(sql);
    }
  }

  final PreparedStatement prepare(String sql) throws SQLException {
    return purging.prepareStatement(sql);
  }

  final String table() {
    return table;
  }

  @Override
  public final long bytes() throws SQLException {
    return server.tableBytes(schema, table);
  }

  @Override
  public final void close() throws SQLException {
    adding.close();
    purging.close();
  }
}
