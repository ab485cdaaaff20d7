package io.github.slotbloom.internal.store.session;

import io.github.slotbloom.error.TransactionStateException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Sets the session settings that our transactions need, and restores the old ones. The old values
 * are kept in user variables of the session. A SET evaluates all its right-hand sides before it
 * changes anything, so one round trip both saves and sets, and can check the server as well.
 */
final class Session {

  private static final String AUTOCOMMIT = "autocommit";

  /**
   * The modes that a session came with, without those of MariaDB that change what our statements
   * do: an empty payload would be NULL, and an UPDATE would not see what it assigned before. Both
   * are replaced by the mode that is added. The driver asks for the modes only as it connects, and
   * must know those that decide how it writes text, so all others stay.
   */
  private static final String OUR_MODES =
      "REPLACE(REPLACE(CONCAT(@@SESSION.sql_mode, ',STRICT_ALL_TABLES'),"
          + " 'EMPTY_STRING_IS_NULL', 'STRICT_ALL_TABLES'),"
          + " 'SIMULTANEOUS_ASSIGNMENT', 'STRICT_ALL_TABLES')";

  /** A value that makes any statement fail that evaluates it. */
  private static final String NO_NUMBER = "(SELECT 18446744073709551615 + 1)";

  /** The condition that a server still has to meet; null if there is none. */
  private final @Nullable String serverCondition;

  private final String saveAndSet;
  private final String saveAndSetToCommitEach;
  private final String restore;

  /**
   * Creates the settings for the sessions of a server.
   *
   * @param conditions what must hold for a read from it
   * @param chosen true if it was chosen among several
   */
  Session(
      ServerVersion server, ReplicationGroup group, SessionConditions conditions, boolean chosen) {
    Map<String, String> ours = settings(server);
    ours.putAll(group.settings());
    String condition = conditions.server();
    // A table is read once the limits are lifted.
    serverCondition = group == ReplicationGroup.VISIBLE ? condition : null;
    // One server that takes no writes refuses them.
    String check =
        group == ReplicationGroup.VISIBLE || (group == ReplicationGroup.NONE && !chosen)
            ? ""
            : "@slotbloom_primary = IF(%s, 1, %s), ".formatted(condition, NO_NUMBER);
    // This comes first: without SESSION it is for the next transaction, and refused within one.
    String refuseOpenTransaction = "@@" + server.isolation() + " = 'READ-COMMITTED', ";
    String save =
        ours.keySet().stream()
            .map(v -> "@slotbloom_" + v + " = @@SESSION." + v)
            .collect(Collectors.joining(", ", "SET " + refuseOpenTransaction + check, ", "));
    saveAndSet = save + set(ours);
    ours.put(AUTOCOMMIT, "1");
    saveAndSetToCommitEach = save + set(ours);
    restore =
        ours.keySet().stream()
            .map(v -> "SESSION " + v + " = @slotbloom_" + v)
            .collect(Collectors.joining(", ", "SET ", ""));
  }

  private static String set(Map<String, String> settings) {
    return settings.entrySet().stream()
        .map(e -> "SESSION " + e.getKey() + " = " + e.getValue())
        .collect(Collectors.joining(", "));
  }

  private static Map<String, String> settings(ServerVersion server) {
    Map<String, String> ours = new LinkedHashMap<>();
    ours.put(server.isolation(), "'READ-COMMITTED'");
    // With this the next statement begins a transaction, and START TRANSACTION need not be sent.
    ours.put(AUTOCOMMIT, "0");
    ours.put(server.readOnly(), "0");
    // A value that does not fit must cause an error. It must never be clipped.
    ours.put("sql_mode", OUR_MODES);
    ours.put("sql_safe_updates", "0");
    ours.put("sql_select_limit", "18446744073709551615");
    ours.put("sql_big_selects", "1");
    // A pass over a slot table may take longer than the limit for an application's queries.
    ours.put(server.statementTime(), "0");
    // Many slots are read in one text.
    ours.put("group_concat_max_len", "1048576");
    ours.put("completion_type", "'NO_CHAIN'");
    ours.put("innodb_lock_wait_timeout", Database.LOCK_WAIT_SECONDS);
    ours.put("lock_wait_timeout", Database.LOCK_WAIT_SECONDS);
    // If this process or its host vanishes in the middle of a transaction, the server releases its
    // locks after this many seconds. It does so even if only half of a statement arrived.
    ours.put("wait_timeout", "10");
    ours.put("net_read_timeout", "10");
    return ours;
  }

  /**
   * Saves and changes the settings. Afterward the next statement begins a transaction, and so does
   * the first statement after each commit or rollback.
   *
   * @param commitEach true if instead the server is to autocommit each statement
   * @throws TransactionStateException if a transaction of somebody else is open
   * @throws DatabaseFailure if the server is not the primary, or one that may be read instead, or
   *     the session does not replicate
   */
  void prepare(Connection connection, boolean commitEach) throws SQLException {
    try {
      execute(connection, commitEach ? saveAndSetToCommitEach : saveAndSet);
    } catch (SQLException e) {
      if (OpenTransaction.isReasonOf(e)) {
        throw OpenTransaction.refusal(e);
      }
      if (DatabaseFailure.of(e).outOfRange()) {
        throw DatabaseFailure.ofSecondary();
      }
      throw e;
    }
    if (!connection.getAutoCommit()) {
      // What was asked above may have begun a transaction, which would keep its old settings.
      rollback(connection);
    }
    if (serverCondition != null && !ReplicationGroup.isTrue(connection, serverCondition)) {
      throw DatabaseFailure.ofSecondary();
    }
  }

  /** Has the server commit each statement of a prepared session, or begin transactions again. */
  static void commitEach(Connection connection, boolean each) throws SQLException {
    execute(connection, "SET SESSION " + AUTOCOMMIT + " = " + (each ? 1 : 0));
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

  /** Returns true if the server commits each statement, whatever the driver takes it for. */
  static boolean commitsEach(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT @@SESSION." + AUTOCOMMIT)) {
      row.next();
      return row.getBoolean(1);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
