package io.github.slotbloom.internal.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Sets the session settings that our transactions need, and restores the old ones. The old values
 * are kept in user variables of the session. A SET evaluates all its right-hand sides before it
 * changes anything, so one round trip both saves and sets.
 */
final class Session {

  private static final String AUTOCOMMIT = "autocommit";

  /** Null where servers have no roles: those that take no writes refuse them. */
  private final @Nullable String serverCondition;

  private final String saveAndSet;
  private final String saveAndSetToCommitEach;
  private final String restore;

  Session(ServerVersion server, ReplicationGroup group, ReadConditions conditions) {
    serverCondition = group.hasRoles() ? conditions.server() : null;
    Map<String, String> ours = settings(server);
    ours.putAll(group.settings());
    String save =
        ours.keySet().stream()
            .map(v -> "@slotbloom_" + v + " = @@SESSION." + v)
            .collect(Collectors.joining(", ", "SET ", ", "));
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
    ours.put("sql_mode", "CONCAT(@@SESSION.sql_mode, ',STRICT_ALL_TABLES')");
    ours.put("sql_safe_updates", "0");
    ours.put("sql_select_limit", "18446744073709551615");
    ours.put("sql_big_selects", "1");
    // A pass over a slot table may take longer than the limit for an application's queries.
    ours.put(server.statementTime(), "0");
    // Many slots are read in one text.
    ours.put("group_concat_max_len", "1048576");
    ours.put("completion_type", "'NO_CHAIN'");
    ours.put("innodb_lock_wait_timeout", "5");
    ours.put("lock_wait_timeout", "5");
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
   * @param commitEach true if instead the server is to commit each statement by itself
   * @throws DatabaseFailure if the server has not the role in its group that it needs
   */
  void prepare(Connection connection, boolean commitEach) throws SQLException {
    execute(connection, commitEach ? saveAndSetToCommitEach : saveAndSet);
    if (!connection.getAutoCommit()) {
      // A transaction may be open already, or be chained to the last one. It would keep its old
      // settings.
      rollback(connection);
    }
    if (serverCondition != null && !ReplicationGroup.isTrue(connection, serverCondition)) {
      throw DatabaseFailure.ofSecondary();
    }
  }

  /**
   * Has the server commit each statement of a prepared session by itself, or begin transactions
   * again.
   */
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

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
