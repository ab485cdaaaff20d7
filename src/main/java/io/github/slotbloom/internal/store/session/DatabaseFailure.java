package io.github.slotbloom.internal.store.session;

import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.sql.SQLTransientException;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if a statement, a connection or a commit failed. Tells the caller what can be done about
 * it.
 */
public final class DatabaseFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Errors after which the server rolled the transaction back, or refused it for a moment:
   * deadlock, lock wait timeout, record changed (MariaDB), cluster conflicts, killed query, too
   * many connections, a limit of the account, shutdown in progress.
   */
  private static final Set<Integer> REPLAYABLE =
      Set.of(1213, 1205, 1020, 3101, 1180, 1047, 1317, 1040, 1053, 1203, 1226, 3024, 1969);

  /**
   * Errors of a server that became read-only, for instance because a failover made it a replica.
   * Connections to it are no longer of use.
   */
  private static final Set<Integer> READ_ONLY = Set.of(1290, 1792, 1836);

  /** A file cannot be locked; if the engine says that it is read-only, so is the server. */
  private static final int FILE_NOT_LOCKED = 1015;

  /** What the storage engine says under innodb_read_only, as readers of some clouds have it. */
  private static final String ENGINE_READ_ONLY = "errno: 165";

  /** Too many connections or statements, of all accounts or of this one. */
  private static final Set<Integer> LIMIT_REACHED = Set.of(1040, 1203, 1226);

  /** The disk, or the tablespace of a table, is full. */
  private static final Set<Integer> NO_ROOM = Set.of(1021, 1114);

  /** Whoever is not an administrator is not let in. */
  private static final int OFFLINE = 3032;

  /**
   * Errors of a member of a replication group that cannot answer at the moment: it applies what an
   * earlier primary left, leaves the group itself, or cannot reach the others. Another member may
   * be the primary by now.
   */
  private static final Set<Integer> GROUP_UNSETTLED =
      Set.of(3781, 3782, 3783, 3796, 3797, 3798, 3799, 3100, OFFLINE);

  /**
   * Errors of a transaction that lost against another one, on the same server or on another one of
   * its cluster or group. The server has rolled it back, also if it was to be committed.
   */
  private static final Set<Integer> LOST_AGAINST_ANOTHER = Set.of(1213, 3101);

  /**
   * Errors that the server raises before it begins to commit: locks that are not free, values that
   * do not fit, duplicate keys, statements that the binary log or the tables do not allow. Others
   * may come from the commit itself.
   */
  private static final Set<Integer> BEFORE_COMMIT =
      Set.of(1205, 3572, 1690, 1048, 1062, 1054, 1064, 1146, 1193, 1665, 1971);

  /** A column that is missing, a statement that was killed, or that took too long. */
  private static final Set<Integer> LEAVE_TRANSACTION_OPEN = Set.of(1054, 1317, 3024, 1969);

  /** Errors of an account that lacks the right to a command, a table or a schema. */
  private static final Set<Integer> DENIED = Set.of(1142, 1143, 1044, 1227, 1370);

  /** Errors of those of {@link #GROUP_UNSETTLED} that come after a wait. */
  private static final Set<Integer> GROUP_WAIT_TIMEOUT = Set.of(3781, 3797, 3798);

  /** The error of MySQL, and that of MariaDB. */
  private static final Set<Integer> STATEMENT_TIMEOUT = Set.of(3024, 1969);

  /** Errors that the server sends when it refuses the client, or refuses it the schema. */
  private static final Set<Integer> NOT_LET_IN =
      Set.of(1044, 1049, 1129, 1130, 1698, 1820, 1862, 3118);

  private static final int BINARY_LOG_OF_STATEMENTS = 1665;
  private static final int LOGIN_REFUSED = 1045;

  /** What the driver says if it would have to send a password that it cannot encrypt. */
  private static final String NO_PUBLIC_KEY = "Public Key Retrieval is not allowed";

  private static final int SELECT_TOO_BIG = 1104;
  private static final int LOCK_WAIT_TIMEOUT = 1205;
  private static final int LOCK_NOT_FREE = 3572;
  private static final int OUT_OF_RANGE = 1690;
  private static final int NO_SUCH_TABLE = 1146;
  private static final int NO_SUCH_COLUMN = 1054;
  private static final int NO_SUCH_VARIABLE = 1193;
  private static final int TABLE_CHANGED = 1412;

  private enum Kind {
    AS_THE_ERROR_SAYS,
    COMMITTING,
    CONNECTION_LOST,
    NOT_CONNECTED,
    NOT_PRIMARY
  }

  private final Kind kind;
  private final @Nullable SQLException sql;

  private DatabaseFailure(Kind kind, Throwable cause) {
    super(describe(cause), cause);
    this.kind = kind;
    this.sql = sqlCause(cause);
  }

  public static DatabaseFailure of(Throwable cause) {
    return new DatabaseFailure(Kind.AS_THE_ERROR_SAYS, cause);
  }

  /** Creates a failure of a commit. It may have taken effect, unless the error says otherwise. */
  static DatabaseFailure ofCommit(Throwable cause) {
    DatabaseFailure failure = of(cause);
    return failure.lostAgainstAnother() ? failure : new DatabaseFailure(Kind.COMMITTING, cause);
  }

  /** Returns true if the server has rolled back the whole transaction in favor of another one. */
  boolean lostAgainstAnother() {
    return sql != null && !connectionLost(sql) && LOST_AGAINST_ANOTHER.contains(sql.getErrorCode());
  }

  /**
   * Creates a failure of a connection that is lost, whatever the error says. A driver that goes on
   * with the rest of a batch reports only the last error, which says that the statement is closed.
   */
  static DatabaseFailure ofLostConnection(Throwable cause) {
    return new DatabaseFailure(Kind.CONNECTION_LOST, cause);
  }

  /** Creates a failure of a data source that gave no connection. Nothing was sent. */
  static DatabaseFailure ofNoConnection(Throwable cause) {
    return new DatabaseFailure(Kind.NOT_CONNECTED, cause);
  }

  /** Creates a failure of a server that was asked for its role, and is not the primary. */
  public static DatabaseFailure ofSecondary() {
    return new DatabaseFailure(
        Kind.NOT_PRIMARY,
        new IllegalStateException(
            "The server is not the primary: it is read-only, or not ONLINE in the majority of its group,"
                + " or this session does not replicate (wsrep_on or sql_log_bin is OFF)."));
  }

  /** Returns the error code and the SQL state, without the parts of the message that vary. */
  public String code() {
    return sql == null
        ? getClass().getSimpleName()
        : "error " + sql.getErrorCode() + ", SQL state " + sql.getSQLState();
  }

  /**
   * Returns true if COMMIT was sent, or a statement that commits by itself, so that the transaction
   * may have taken effect.
   */
  public boolean outcomeUnknown() {
    return kind == Kind.COMMITTING;
  }

  /** Returns true if a statement that commits by itself was refused before its commit. */
  boolean certainlyRefused() {
    return sql != null
        && kind == Kind.AS_THE_ERROR_SAYS
        && !connectionLost(sql)
        && (LOST_AGAINST_ANOTHER.contains(sql.getErrorCode())
            || BEFORE_COMMIT.contains(sql.getErrorCode())
            || readOnly(sql)
            || denied());
  }

  /** Returns true if running the whole transaction again may succeed. */
  public boolean replayable() {
    SQLException e = sql;
    return kind == Kind.CONNECTION_LOST
        || notPrimary()
        || (e != null
            && (REPLAYABLE.contains(e.getErrorCode())
                || GROUP_UNSETTLED.contains(e.getErrorCode())
                || e instanceof SQLTransientException
                || connectionLost(e)));
  }

  /** Returns true if it is an error of the pool, which does not know what the server would say. */
  private static boolean saysNothing(SQLException e) {
    return e.getErrorCode() == 0 && e.getSQLState() == null;
  }

  /** Returns true if the statement gave up waiting for a lock after the lock wait timeout. */
  public boolean lockWaitTimeout() {
    return sql != null && sql.getErrorCode() == LOCK_WAIT_TIMEOUT;
  }

  /** Returns true if a lock was not free and the statement was not to wait. */
  public boolean lockNotFree() {
    // MariaDB has no error of its own for it.
    return lockWaitTimeout() || (sql != null && sql.getErrorCode() == LOCK_NOT_FREE);
  }

  /**
   * Returns true if the error never ends a transaction: the statement did not begin, or its time
   * ran out.
   */
  boolean leavesTransactionOpen() {
    return tableMissing()
        || denied()
        || (sql != null && LEAVE_TRANSACTION_OPEN.contains(sql.getErrorCode()));
  }

  /** Returns true if the driver or a pool made the error, and not the server. */
  boolean isOfClient() {
    return sql == null || sql.getErrorCode() == 0;
  }

  /** Returns true if the value of an expression did not fit into its type. */
  public boolean outOfRange() {
    return sql != null && sql.getErrorCode() == OUT_OF_RANGE;
  }

  /** Returns true if {@link #lockWaitTimeout} does, or if a statement reached its time limit. */
  public boolean gaveUpWaiting() {
    return lockWaitTimeout() || (sql != null && STATEMENT_TIMEOUT.contains(sql.getErrorCode()));
  }

  /** Returns true if the group did not apply in time what the statement waited for. */
  public boolean waitedForGroup() {
    return sql != null && GROUP_WAIT_TIMEOUT.contains(sql.getErrorCode());
  }

  /** Returns true if no answer came, or no connection, before a limit of ours was reached. */
  public boolean timedOut() {
    for (Throwable cause = this; cause != null; cause = cause.getCause()) {
      if (cause instanceof SocketTimeoutException
          || cause instanceof SQLTransientConnectionException) {
        return true;
      }
    }
    return false;
  }

  /** Returns a sentence that says what can be done about the failure. */
  public String remedy() {
    SQLException e = sql;
    if (notPrimary()) {
      return "Use the address of the primary: this server is a secondary.";
    }
    if (e != null && e.getErrorCode() == OFFLINE) {
      return "Try again once the server has left offline mode, or another one is the primary.";
    }
    if (e != null && GROUP_UNSETTLED.contains(e.getErrorCode())) {
      return "Try again once the group has a majority, and a primary that has applied its backlog.";
    }
    if (e != null && LIMIT_REACHED.contains(firstOf(e).getErrorCode())) {
      return "Try again once others need less, or raise the limit that the message names.";
    }
    if (e != null && String.valueOf(firstOf(e).getMessage()).startsWith(NO_PUBLIC_KEY)) {
      return "Encrypt the connection (sslMode=REQUIRED), or set allowPublicKeyRetrieval=true if you"
          + " trust the network.";
    }
    if (loginRefused()) {
      return "Check the account and its password.";
    }
    if (kind == Kind.NOT_CONNECTED && (e == null || saysNothing(firstOf(e)))) {
      return "Nothing was sent: see that the pool is open, and large enough.";
    }
    if (e == null || connectionUseless() || NOT_LET_IN.contains(e.getErrorCode())) {
      return "Check the address of the database, the account and its rights.";
    }
    if (NO_ROOM.contains(e.getErrorCode())) {
      return "Make room on the server, then repeat it: what was recorded before is safe.";
    }
    if (lockWaitTimeout()) {
      return "End the transaction that holds the lock, and try again.";
    }
    return replayable()
        ? "Try again."
        : "The server refused a statement: fix what its message names.";
  }

  /** Returns true if a server answered, if only with an error: it is up. */
  public boolean answered() {
    boolean ofPool = kind == Kind.NOT_CONNECTED && (sql == null || saysNothing(firstOf(sql)));
    return notPrimary()
        || (kind != Kind.CONNECTION_LOST && !ofPool && sql != null && !connectionLost(sql));
  }

  private boolean notPrimary() {
    return kind == Kind.NOT_PRIMARY || (sql != null && readOnly(sql));
  }

  private static boolean readOnly(SQLException e) {
    return READ_ONLY.contains(e.getErrorCode())
        || (e.getErrorCode() == FILE_NOT_LOCKED
            && String.valueOf(e.getMessage()).contains(ENGINE_READ_ONLY));
  }

  /** Returns true if the account lacks a right. */
  public boolean denied() {
    return sql != null && DENIED.contains(sql.getErrorCode());
  }

  /** Returns true if the server does not let the account log in. */
  private boolean loginRefused() {
    return sql != null && firstOf(sql).getErrorCode() == LOGIN_REFUSED;
  }

  /**
   * Returns true if a limit of the session caused the failure and our own settings lift that limit.
   */
  boolean sessionUnfit() {
    return sql != null
        && (sql.getErrorCode() == SELECT_TOO_BIG || STATEMENT_TIMEOUT.contains(sql.getErrorCode()));
  }

  /** Returns true if a table is missing. */
  public boolean tableMissing() {
    return sql != null && sql.getErrorCode() == NO_SUCH_TABLE;
  }

  /** Returns true if the server has no system variable of a name. */
  boolean variableMissing() {
    return sql != null && sql.getErrorCode() == NO_SUCH_VARIABLE;
  }

  /** Returns true if a table was created after the transaction took its snapshot. */
  public boolean tableYoungerThanSnapshot() {
    return sql != null && sql.getErrorCode() == TABLE_CHANGED;
  }

  /** Returns true if a column is missing. */
  public boolean columnMissing() {
    return sql != null && sql.getErrorCode() == NO_SUCH_COLUMN;
  }

  /** Returns true if the connection must not be used again. */
  boolean connectionUseless() {
    return kind == Kind.CONNECTION_LOST
        || kind == Kind.NOT_CONNECTED
        || sql == null
        || notPrimary()
        || GROUP_UNSETTLED.contains(sql.getErrorCode())
        || connectionLost(sql);
  }

  private static boolean connectionLost(SQLException e) {
    String state = e.getSQLState();
    return e instanceof SQLTransientConnectionException
        || e instanceof SQLNonTransientConnectionException
        || e instanceof SQLRecoverableException
        || (state != null && state.startsWith("08"));
  }

  private static @Nullable SQLException sqlCause(Throwable thrown) {
    for (Throwable t = thrown; t != null; t = t.getCause()) {
      if (t instanceof SQLException e) {
        return e;
      }
    }
    return null;
  }

  private static String describe(Throwable cause) {
    SQLException e = sqlCause(cause);
    if (e == null) {
      return String.valueOf(cause.getMessage());
    }
    SQLException first = firstOf(e);
    // The failure of a batch repeats the text of what failed in it.
    return first == e || Objects.equals(first.getMessage(), e.getMessage())
        ? describe(first)
        : e.getMessage() + ": " + describe(first);
  }

  private static String describe(SQLException e) {
    return e.getMessage()
        + " (error "
        + e.getErrorCode()
        + ", SQL state "
        + e.getSQLState()
        + ")"
        + explanation(e.getErrorCode());
  }

  private static String explanation(int errorCode) {
    return switch (errorCode) {
      case BINARY_LOG_OF_STATEMENTS ->
          "; the server's binlog_format is STATEMENT, which cannot record transactions of READ"
              + " COMMITTED: SET GLOBAL binlog_format = 'ROW', then open the pool's connections"
              + " anew";
      case OUT_OF_RANGE ->
          "; row 0 of the filter in bloom_journal does not fit its entries, or counts too many keys:"
              + " slotbloom verify tells which";
      default -> "";
    };
  }

  /**
   * Returns the first error. If a pool gave up waiting for a connection, that is the error that the
   * driver gave to the pool.
   */
  private static SQLException firstOf(SQLException e) {
    SQLException first = e;
    for (Throwable t = e; t != null; t = t.getCause()) {
      if (t instanceof SQLException sql) {
        first = sql;
      }
    }
    return first;
  }
}
