package io.github.slotbloom.internal.store.session;

import io.github.slotbloom.error.UnsupportedVersionException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.stream.Collectors;
import org.jooq.DSLContext;

/**
 * The group of servers that take part in each commit of a server, and how much the server tells of
 * it.
 */
public enum ReplicationGroup {

  /** It belongs to none. */
  NONE,

  /** A group of MySQL. The account may read the state of the members. */
  VISIBLE,

  /** A group of MySQL. The account may not. */
  HIDDEN,

  /** A Galera cluster. A node that is not in contact with the majority refuses all statements. */
  GALERA;

  /** The name of the group of MySQL that a server belongs to. */
  static final String NAME = "@@GLOBAL.group_replication_group_name";

  private static final String GALERA_ON = "@@GLOBAL.wsrep_on";

  /** A primary that does not reach the majority may have been replaced without knowing it. */
  private static final String PRIMARY_WITH_MAJORITY =
      onlineWithMajority(" AND MEMBER_ROLE = 'PRIMARY'");

  /**
   * What such a member shows has to be as durable as on the primary: an add that finds a key there
   * is told that the key is recorded.
   */
  private static final String DURABLE_WITH_MAJORITY =
      "(@@GLOBAL.innodb_flush_log_at_trx_commit = 1 AND @@GLOBAL.sync_binlog = 1 AND "
          + onlineWithMajority("")
          + ")";

  /** Without a scope, it holds for one transaction. */
  private static final String ISOLATION_OF_NEXT =
      "SET @@transaction_isolation = IF(@@GLOBAL.group_replication_single_primary_mode,"
          + " 'READ-COMMITTED', 'REPEATABLE-READ')";

  private static final String CONSISTENCY = "@@SESSION.group_replication_consistency";

  /** A number in MySQL, a word in some versions of MariaDB. */
  private static final String WRITABLE = "CONCAT(@@GLOBAL.read_only) IN ('0', 'OFF')";

  /** Set in sessions whose server was chosen among several because it is writable. */
  private static final String CHOSEN = "@slotbloom_chosen";

  private static String onlineWithMajority(String role) {
    return "COALESCE((SELECT SUM(MEMBER_STATE <> 'UNREACHABLE') * 2 > COUNT(*)"
        + " AND SUM(MEMBER_ID = @@GLOBAL.server_uuid AND MEMBER_STATE = 'ONLINE'"
        + role
        + ") = 1 FROM performance_schema.replication_group_members), FALSE)";
  }

  /** Asks the server that a connection leads to. */
  public static ReplicationGroup of(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      try (ResultSet name = UnpreparedSession.ask(statement, NAME)) {
        name.next();
        if (name.getString(1).isEmpty()) {
          return NONE;
        }
      }
      UnpreparedSession.ask(statement, PRIMARY_WITH_MAJORITY).close();
      return VISIBLE;
    } catch (SQLException e) {
      DatabaseFailure failure = DatabaseFailure.of(e);
      if (failure.variableMissing()) {
        return isInGalera(connection) ? GALERA : NONE;
      }
      if (failure.denied()) {
        return HIDDEN;
      }
      if (failure.sessionUnfit()) {
        // Our own settings lift the limit that was reached.
        return VISIBLE;
      }
      throw e;
    }
  }

  private static boolean isInGalera(Connection connection) throws SQLException {
    try {
      return isTrue(connection, GALERA_ON);
    } catch (SQLException e) {
      if (DatabaseFailure.of(e).variableMissing()) {
        return false;
      }
      throw e;
    }
  }

  /**
   * Refuses a group in which a member cannot be known to have what the others committed.
   *
   * @throws UnsupportedVersionException if it is one
   */
  void requireVisible() {
    switch (this) {
      case VISIBLE -> {}
      case HIDDEN ->
          throw new UnsupportedVersionException(
              "Secondaries can answer only if the account can see whether they are ONLINE: GRANT"
                  + " SELECT ON performance_schema.replication_group_members to it.");
      case GALERA ->
          throw new UnsupportedVersionException(
              "A Galera cluster has no secondaries: connect this process to the node that should"
                  + " answer its lookups.");
      case NONE ->
          throw new UnsupportedVersionException(
              "Secondaries can answer only in a MySQL replication group: another replica can lack"
                  + " what was acknowledged. This server belongs to no group.");
    }
  }

  /** Returns true if other servers take part in each commit. */
  public boolean isShared() {
    return this != NONE;
  }

  /**
   * Returns what must hold for a session on the primary: that the server is it, as far as it can be
   * known, and that what the session writes reaches the others.
   *
   * <p>A server that was started outside of its group may be writable, and still know nothing of
   * what the group has written since. A single server that only ordinary accounts may not write to
   * for a while has no newer one, unless it was chosen among several.
   *
   * @param chosen true if the server was chosen so
   */
  SessionConditions ofPrimary(ServerVersion server, boolean chosen) {
    String writable = server.mariaDb() ? "TRUE" : "@@GLOBAL.super_read_only = 0";
    String reaching =
        switch (this) {
          case NONE -> chosen ? WRITABLE : "TRUE";
          case VISIBLE, HIDDEN -> "@@SESSION.sql_log_bin";
          case GALERA -> "@@SESSION.wsrep_on";
        };
    String writes = "(" + writable + " AND " + reaching + ")";
    String primary =
        this == VISIBLE ? "(" + writes + " AND " + PRIMARY_WITH_MAJORITY + ")" : writes;
    return new SessionConditions(primary, consistencyCondition(), writes);
  }

  /** Returns what must hold for a read from any member of a group whose state is visible. */
  SessionConditions ofMember() {
    return new SessionConditions(DURABLE_WITH_MAJORITY, consistencyCondition(), "FALSE");
  }

  /** Returns true if the server of a session was chosen by {@link #isWritablePrimary}. */
  static boolean isChosen(Connection connection) throws SQLException {
    return isTrue(connection, CHOSEN + " IS NOT NULL");
  }

  /**
   * Returns true if the server is the one to choose among several: the primary, as far as it can be
   * known, and not read-only.
   */
  public boolean isWritablePrimary(Connection connection) throws SQLException {
    return isTrue(
        connection, this == VISIBLE ? WRITABLE + " AND " + PRIMARY_WITH_MAJORITY : WRITABLE);
  }

  /** Evaluates a condition on a connection. */
  static boolean isTrue(Connection connection, String condition) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet answer = UnpreparedSession.ask(statement, condition)) {
      answer.next();
      return answer.getBoolean(1);
    }
  }

  /**
   * Has the session of a server that was chosen wait, before it reads, for all that the group has
   * committed. Without a group, it is told apart from other sessions: another server may be chosen
   * while it lasts.
   */
  public void choose(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          this == NONE
              ? "SET " + CHOSEN + " = 1"
              : settings().entrySet().stream()
                  .map(setting -> "SESSION " + setting.getKey() + " = " + setting.getValue())
                  .collect(Collectors.joining(", ", "SET ", "")));
    }
  }

  /**
   * Chooses the isolation of the next transaction, which takes a lock before it reads anything. On
   * a group with several primaries, a commit on another server may roll it back at any time. MySQL
   * 9.7.4 was seen to crash when a statement at READ COMMITTED closed its view at that moment. At
   * REPEATABLE READ the view is closed with the transaction.
   */
  public void beforeLocking(DSLContext dsl) {
    if (this == VISIBLE || this == HIDDEN) {
      dsl.execute(ISOLATION_OF_NEXT);
    }
  }

  private String consistencyCondition() {
    return switch (this) {
      case NONE -> "TRUE";
      case VISIBLE, HIDDEN -> CONSISTENCY + " IN ('BEFORE', 'BEFORE_AND_AFTER')";
      case GALERA -> "@@SESSION.wsrep_sync_wait & 1 AND NOT @@SESSION.wsrep_dirty_reads";
    };
  }

  /** Returns the settings of a session that make it wait so, by name, each with an expression. */
  Map<String, String> settings() {
    return switch (this) {
      case NONE -> Map.of();
      case VISIBLE, HIDDEN ->
          Map.of(
              "group_replication_consistency",
              "IF("
                  + CONSISTENCY
                  + " IN ('AFTER', 'BEFORE_AND_AFTER'), 'BEFORE_AND_AFTER', 'BEFORE')");
      // The bits are for SELECT; UPDATE and DELETE; INSERT.
      case GALERA ->
          Map.of(
              "wsrep_sync_wait", "@@SESSION.wsrep_sync_wait | 7",
              "wsrep_dirty_reads", "0");
    };
  }
}
