package io.github.slotbloom.internal.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The settings under which our transactions run, whatever the pool's connection came with, and the
 * way back. The old values wait in user variables of the session: a SET reads all its right-hand
 * sides before it changes anything, so saving and setting are one round trip.
 */
final class Session {

  private final String saveAndSet;
  private final String restore;

  Session(ServerVersion server) {
    Map<String, String> ours = settings(server);
    saveAndSet =
        ours.keySet().stream()
                .map(v -> "@slotbloom_" + v + " = @@SESSION." + v)
                .collect(Collectors.joining(", ", "SET ", ", "))
            + ours.entrySet().stream()
                .map(e -> "SESSION " + e.getKey() + " = " + e.getValue())
                .collect(Collectors.joining(", "));
    restore =
        ours.keySet().stream()
            .map(v -> "SESSION " + v + " = @slotbloom_" + v)
            .collect(Collectors.joining(", ", "SET ", ""));
  }

  private static Map<String, String> settings(ServerVersion server) {
    Map<String, String> ours = new LinkedHashMap<>();
    ours.put(server.isolation(), "'READ-COMMITTED'");
    // So the next statement begins a transaction, and START TRANSACTION need not be sent.
    ours.put("autocommit", "0");
    ours.put(server.readOnly(), "0");
    // A value that does not fit must be an error, never be clipped.
    ours.put("sql_mode", "CONCAT(@@SESSION.sql_mode, ',STRICT_ALL_TABLES')");
    ours.put("sql_safe_updates", "0");
    ours.put("sql_select_limit", "18446744073709551615");
    ours.put("sql_big_selects", "1");
    // A pass over a slot table may take longer than what is meant for an application's queries.
    ours.put(server.statementTime(), "0");
    // Slots are read many in one text.
    ours.put("group_concat_max_len", "1048576");
    ours.put("completion_type", "'NO_CHAIN'");
    ours.put("innodb_lock_wait_timeout", "5");
    ours.put("lock_wait_timeout", "5");
    // If this process or its host vanishes in the middle of a transaction, the server gives
    // up its locks after so long; also if half of a statement is all that arrived.
    ours.put("wait_timeout", "10");
    ours.put("net_read_timeout", "10");
    return ours;
  }

  /** The next statement begins a transaction, and after each commit or rollback the next one. */
  void prepare(Connection connection) throws SQLException {
    execute(connection, saveAndSet);
    if (!connection.getAutoCommit()) {
      // One may be open already, or have been chained to the last: it would keep its own settings.
      rollback(connection);
    }
  }

  void restore(Connection connection) throws SQLException {
    execute(connection, restore);
  }

  static void commit(Connection connection) throws SQLException {
    execute(connection, "COMMIT");
  }

  static void rollback(Connection connection) throws SQLException {
    execute(connection, "ROLLBACK");
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
