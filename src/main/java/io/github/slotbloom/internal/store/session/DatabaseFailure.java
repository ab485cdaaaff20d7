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

  /**
   * The error of the storage engine under innodb_read_only, which readers of some clouds have set.
   */
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

  /** The error of the driver if it would have to send a password that it cannot encrypt. */
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

  /** Zero if the driver or a pool made the error, and not the server. */
  private final int error;

  private DatabaseFailure(Kind kind, Throwable cause) {
    super(describe(cause), cause);
    this.kind = kind;
    this.sql = sqlCause(cause);
    this.error = sql == null ? 0 : sql.getErrorCode();
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
    return LOST_AGAINST_ANOTHER.contains(error) && !connectionLost();
  }

  /** Creates a failure of a connection that is lost, whatever the error says. */
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
            "The server is not the primary: it is read-only, or not ONLINE in the majority of its"
                + " group, or this session does not replicate (wsrep_on or sql_log_bin is OFF)."));
  }

  /** Returns the error code and the SQL state, without the parts of the message that vary. */
  public String code() {
    return sql == null
        ? getClass().getSimpleName()
        : "error " + sql.getErrorCode() + ", SQL state " + sql.getSQLState();
  }

  /**
   * Returns true if COMMIT was sent, or a statement that commits implicitly, so that the
   * transaction may have taken effect.
   */
  public boolean outcomeUnknown() {
    return kind == Kind.COMMITTING;
  }

  /** Returns true if a statement that commits implicitly was refused before its commit. */
  boolean certainlyRefused() {
    return kind == Kind.AS_THE_ERROR_SAYS
        && !connectionLost()
        && (LOST_AGAINST_ANOTHER.contains(error)
            || BEFORE_COMMIT.contains(error)
            || readOnly()
            || denied());
  }

  /** Returns true if running the whole transaction again may succeed. */
  public boolean replayable() {
    return kind == Kind.CONNECTION_LOST
        || notPrimary()
        || REPLAYABLE.contains(error)
        || GROUP_UNSETTLED.contains(error)
        || sql instanceof SQLTransientException
        || connectionLost();
  }

  /** Returns true if it is an error of the pool, which does not know what the server would say. */
  private boolean isOfPool() {
    SQLException first = sql == null ? null : firstOf(sql);
    return kind == Kind.NOT_CONNECTED
        && (first == null || (first.getErrorCode() == 0 && first.getSQLState() == null));
  }

  /** Returns true if the statement gave up waiting for a lock after the lock wait timeout. */
  public boolean lockWaitTimeout() {
    return error == LOCK_WAIT_TIMEOUT;
  }

  /** Returns true if a lock was not free and the statement was not to wait. */
  public boolean lockNotFree() {
    // MariaDB has no error of its own for it.
    return lockWaitTimeout() || error == LOCK_NOT_FREE;
  }

  /**
   * Returns true if the error never ends a transaction: the statement did not begin, or its time
   * ran out.
   */
  boolean leavesTransactionOpen() {
    return tableMissing() || denied() || LEAVE_TRANSACTION_OPEN.contains(error);
  }

  /** Returns true if the driver or a pool made the error, and not the server. */
  boolean isOfClient() {
    return error == 0;
  }

  /** Returns true if the value of an expression did not fit into its type. */
  public boolean outOfRange() {
    return error == OUT_OF_RANGE;
  }

  /** Returns true if {@link #lockWaitTimeout} does, or if a statement reached its time limit. */
  public boolean gaveUpWaiting() {
    return lockWaitTimeout() || STATEMENT_TIMEOUT.contains(error);
  }

  /** Returns true if the group did not apply in time what the statement waited for. */
  public boolean waitedForGroup() {
    return GROUP_WAIT_TIMEOUT.contains(error);
  }

  /** Returns true if no answer came, or no connection, before our limit was reached. */
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
    SQLException first = sql == null ? null : firstOf(sql);
    if (notPrimary()) {
      return "Use the address of the primary: this server is a secondary.";
    }
    if (error == OFFLINE) {
      return "Try again once the server has left offline mode, or another server is the primary.";
    }
    if (GROUP_UNSETTLED.contains(error)) {
      return "Try again once the group has a majority, and a primary that has applied its backlog.";
    }
    if (first != null && LIMIT_REACHED.contains(first.getErrorCode())) {
      return "Try again later, or raise the limit that the message names.";
    }
    if (first != null && String.valueOf(first.getMessage()).startsWith(NO_PUBLIC_KEY)) {
      return "Encrypt the connection (sslMode=REQUIRED), or set allowPublicKeyRetrieval=true if you"
          + " trust the network.";
    }
    if (first != null && first.getErrorCode() == LOGIN_REFUSED) {
      return "Check the account and its password.";
    }
    if (isOfPool()) {
      return "Nothing was sent: check that the pool is open and large enough.";
    }
    if (connectionUseless() || NOT_LET_IN.contains(error)) {
      return "Check the address of the database, the account and its privileges.";
    }
    if (NO_ROOM.contains(error)) {
      return "Free disk space on the server, then repeat it: what was recorded before is safe.";
    }
    if (lockWaitTimeout()) {
      return "End the transaction that holds the lock, and try again.";
    }
    return replayable()
        ? "Try again."
        : "The server rejected a statement: fix what its message names.";
  }

  /** Returns true if a server answered, if only with an error: it is up. */
  public boolean answered() {
    return notPrimary()
        || (kind != Kind.CONNECTION_LOST && !isOfPool() && sql != null && !connectionLost());
  }

  private boolean notPrimary() {
    return kind == Kind.NOT_PRIMARY || readOnly();
  }

  private boolean readOnly() {
    return READ_ONLY.contains(error)
        || (error == FILE_NOT_LOCKED && String.valueOf(getMessage()).contains(ENGINE_READ_ONLY));
  }

  /** Returns true if the account lacks a right. */
  public boolean denied() {
    return DENIED.contains(error);
  }

  /**
   * Returns true if a limit of the session caused the failure and our own settings lift that limit.
   */
  boolean sessionUnfit() {
    return error == SELECT_TOO_BIG || STATEMENT_TIMEOUT.contains(error);
  }

  public boolean tableMissing() {
    return error == NO_SUCH_TABLE;
  }

  /** Returns true if the server has no system variable of a name. */
  boolean variableMissing() {
    return error == NO_SUCH_VARIABLE;
  }

  /** Returns true if a table was created after the transaction took its snapshot. */
  public boolean tableYoungerThanSnapshot() {
    return error == TABLE_CHANGED;
  }

  public boolean columnMissing() {
    return error == NO_SUCH_COLUMN;
  }

  /** Returns true if the connection must not be used again. */
  boolean connectionUseless() {
    return kind == Kind.CONNECTION_LOST
        || kind == Kind.NOT_CONNECTED
        || sql == null
        || notPrimary()
        || GROUP_UNSETTLED.contains(error)
        || connectionLost();
  }

  private boolean connectionLost() {
    return sql instanceof SQLTransientConnectionException
        || sql instanceof SQLNonTransientConnectionException
        || sql instanceof SQLRecoverableException
        || (sql != null && String.valueOf(sql.getSQLState()).startsWith("08"));
  }

  private static @Nullable SQLException sqlCause(@Nullable Throwable thrown) {
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
    // What wraps a failure may repeat its text.
    return first == e || Objects.equals(first.getMessage(), e.getMessage())
        ? describe(first)
        : e.getMessage() + ": " + describe(first);
  }

  private static String describe(SQLException e) {
    String explanation =
        switch (e.getErrorCode()) {
          case BINARY_LOG_OF_STATEMENTS ->
              "; the server's binlog_format is STATEMENT, which cannot record transactions of READ"
                  + " COMMITTED: SET GLOBAL binlog_format = 'ROW', then reopen the pool's"
                  + " connections";
          case OUT_OF_RANGE ->
              "; row 0 of the filter in bloom_journal does not match its entries, or counts too"
                  + " many keys: slotbloom verify finds out which";
          default -> "";
        };
    return "%s (error %s, SQL state %s)%s"
        .formatted(e.getMessage(), e.getErrorCode(), e.getSQLState(), explanation);
  }

  /**
   * Returns the first error. If a pool gave up waiting for a connection, that is the error that the
   * driver gave to the pool.
   */
  private static SQLException firstOf(SQLException e) {
    SQLException earlier = sqlCause(e.getCause());
    return earlier == null ? e : firstOf(earlier);
  }
}
