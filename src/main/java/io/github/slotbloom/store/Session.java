package io.github.slotbloom.store;

import static java.util.Map.entry;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The settings under which our transactions run, whatever the pool's connection came with, and the
 * way back. The old values wait in user variables of the session: a SET reads all its right-hand
 * sides before it changes anything, so saving and setting are one round trip.
 */
final class Session {

  /** Settings that both MySQL and MariaDB have. */
  private static final Map<String, String> OURS =
      Map.ofEntries(
          entry("transaction_isolation", "'READ-COMMITTED'"),
          // So the next statement begins a transaction, and START TRANSACTION need not be sent.
          entry("autocommit", "0"),
          entry("transaction_read_only", "0"),
          // A value that does not fit must be an error, never be clipped.
          entry("sql_mode", "CONCAT(@@SESSION.sql_mode, ',STRICT_ALL_TABLES')"),
          entry("sql_safe_updates", "0"),
          entry("sql_select_limit", "18446744073709551615"),
          entry("sql_big_selects", "1"),
          // Slots are read many in one text.
          entry("group_concat_max_len", "1048576"),
          entry("completion_type", "'NO_CHAIN'"),
          entry("innodb_lock_wait_timeout", "5"),
          entry("lock_wait_timeout", "5"),
          // If this process or its host vanishes in the middle of a transaction, the server gives
          // up its locks after so long; also if half of a statement is all that arrived.
          entry("wait_timeout", "10"),
          entry("net_read_timeout", "10"));

  private static final String SAVE_AND_SET =
      OURS.keySet().stream()
              .map(v -> "@slotbloom_" + v + " = @@SESSION." + v)
              .collect(Collectors.joining(", ", "SET ", ", "))
          + OURS.entrySet().stream()
              .map(e -> "SESSION " + e.getKey() + " = " + e.getValue())
              .collect(Collectors.joining(", "));

  private static final String RESTORE =
      OURS.keySet().stream()
          .map(v -> "SESSION " + v + " = @slotbloom_" + v)
          .collect(Collectors.joining(", ", "SET ", ""));

  private Session() {}

  /** The next statement begins a transaction, and after each commit or rollback the next one. */
  static void prepare(Connection connection) throws SQLException {
    execute(connection, SAVE_AND_SET);
    if (!connection.getAutoCommit()) {
      // One may be open already, or have been chained to the last: it would keep its own settings.
      rollback(connection);
    }
  }

  static void commit(Connection connection) throws SQLException {
    execute(connection, "COMMIT");
  }

  static void rollback(Connection connection) throws SQLException {
    execute(connection, "ROLLBACK");
  }

  static void restore(Connection connection) throws SQLException {
    execute(connection, RESTORE);
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
