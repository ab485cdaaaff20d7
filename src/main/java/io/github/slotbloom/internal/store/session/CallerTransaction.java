package io.github.slotbloom.internal.store.session;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.TransactionStateException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.Function;
import org.jooq.exception.DataAccessException;

/**
 * A transaction that the application began on its own connection. Only the application ends it.
 * This class changes no session setting. Not thread-safe, like the connection itself.
 *
 * <p>Savepoints are set with SQL statements, not with the methods of {@link Connection}. HikariCP 5
 * considers a connection clean after {@link Connection#rollback(java.sql.Savepoint)}. If its user
 * closed such a connection without a rollback, it would go back into the pool with all its locks.
 */
public final class CallerTransaction {

  /** The name must be our own: the server silently replaces a savepoint that has the same name. */
  private static final String SAVEPOINT = "slotbloom_add";

  private static final String OF_WORK = "slotbloom_once";

  private static final int NO_SUCH_SAVEPOINT = 1305;

  private final Connection connection;
  private final Sessions sessions;

  CallerTransaction(Connection connection, Sessions sessions) {
    this.connection = connection;
    this.sessions = sessions;
  }

  /**
   * Refuses a connection in autocommit mode.
   *
   * @throws TransactionStateException if the connection is in autocommit mode
   * @throws DatabaseFailure if the connection is closed
   */
  public void require(FilterName filter) {
    try {
      if (connection.getAutoCommit()) {
        throw required(filter);
      }
    } catch (SQLException e) {
      throw DatabaseFailure.of(e);
    }
  }

  public static TransactionStateException required(FilterName filter) {
    return new TransactionStateException(
        "Filter "
            + filter
            + " cannot take part in a transaction of this connection: it is in autocommit mode,"
            + " where each statement is its own transaction. Nothing was recorded. Call"
            + " setAutoCommit(false), or begin a transaction with your framework, before adding; or"
            + " add to the filter directly.",
        null);
  }

  /** Work of an application in a transaction. */
  @FunctionalInterface
  public interface Work<X extends Exception> {

    /** Does the work. */
    void run() throws X;
  }

  /**
   * Does work of an application, and refuses it if it ended the transaction: a statement that the
   * server commits by itself, or a deadlock that the work kept to itself.
   *
   * @throws TransactionStateException if the transaction was ended; nothing after that may be done
   */
  public static <X extends Exception> void wholly(Connection connection, Work<X> work)
      throws X, SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SAVEPOINT " + OF_WORK);
      work.run();
      try {
        statement.execute("RELEASE SAVEPOINT " + OF_WORK);
      } catch (SQLException e) {
        if (e.getErrorCode() != NO_SUCH_SAVEPOINT) {
          throw e;
        }
        throw new TransactionStateException(
            "The work ended its transaction, so its changes and the key cannot be stored together."
                + " The key was not added. Do not commit or roll back in the work, do not use"
                + " statements that commit implicitly, such as CREATE TABLE, and do not swallow"
                + " SQLExceptions: a deadlock undoes the whole transaction.",
            e);
      }
    }
  }

  /** Returns the name of the schema that the connection leads to, for messages. */
  public String schema() {
    try {
      return String.valueOf(connection.getCatalog());
    } catch (SQLException e) {
      return "that is not known";
    }
  }

  /**
   * Runs work that changes rows with one statement at most, and does nothing after that. So if it
   * fails, there is nothing to undo. Locks that it took are kept until the transaction ends.
   *
   * @throws DatabaseFailure if a statement fails
   * @throws TransactionLost if the earlier changes of the transaction are lost too
   */
  public <T> T withoutSavepoint(Function<Tx, T> work) {
    if (!tellsWhenItIsLost()) {
      return savepoint(work);
    }
    try (RepeatedStatements statements = new RepeatedStatements(connection)) {
      return work.apply(sessions.tx(connection, statements, true));
    } catch (DataAccessException | DatabaseFailure e) {
      DatabaseFailure failure = DatabaseFailure.of(e);
      requireOpen(failure);
      throw failure;
    }
  }

  /** A server of a group may roll back between two statements, and tells it with the next one. */
  private boolean tellsWhenItIsLost() {
    try {
      return sessions.group() == ReplicationGroup.NONE
          && SessionStatus.read(connection).isPresent();
    } catch (SQLException e) {
      throw DatabaseFailure.of(e);
    }
  }

  private void requireOpen(DatabaseFailure failure) {
    if (failure.leavesTransactionOpen()) {
      // If its statement was the first, there is no transaction yet.
      return;
    }
    if (failure.isOfClient()) {
      // The server may have done what it was told.
      throw new TransactionLost(failure);
    }
    try {
      if (SessionStatus.ask(connection).filter(SessionStatus::inTransaction).isEmpty()) {
        throw new TransactionLost(failure);
      }
    } catch (SQLException e) {
      failure.addSuppressed(e);
      if (DatabaseFailure.of(e).connectionUseless()) {
        throw new TransactionLost(failure);
      }
    }
  }

  /**
   * Runs work inside a savepoint. If the work fails, its changes are undone, and the changes that
   * the transaction made before stay. Locks that the work took are kept until the transaction ends
   * in either case.
   *
   * @throws DatabaseFailure if a statement fails
   * @throws TransactionLost if the earlier changes of the transaction are lost too
   */
  public <T> T savepoint(Function<Tx, T> work) {
    try {
      execute("SAVEPOINT " + SAVEPOINT);
    } catch (SQLException e) {
      DatabaseFailure failure = DatabaseFailure.of(e);
      // A server of a cluster may have rolled back between two statements, and tells it now.
      throw failure.connectionUseless() || failure.lostAgainstAnother()
          ? new TransactionLost(failure)
          : failure;
    }
    try (RepeatedStatements statements = new RepeatedStatements(connection)) {
      T result = work.apply(sessions.tx(connection, statements, true));
      execute("RELEASE SAVEPOINT " + SAVEPOINT);
      return result;
    } catch (SQLException | DataAccessException e) {
      DatabaseFailure failure = DatabaseFailure.of(e);
      undo(failure);
      throw failure;
    } catch (RuntimeException | Error e) {
      undo(e);
      throw e;
    }
  }

  private void undo(Throwable reason) {
    try {
      execute("ROLLBACK TO SAVEPOINT " + SAVEPOINT);
      execute("RELEASE SAVEPOINT " + SAVEPOINT);
    } catch (SQLException e) {
      TransactionLost lost = new TransactionLost(reason);
      lost.addSuppressed(e);
      throw lost;
    }
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
