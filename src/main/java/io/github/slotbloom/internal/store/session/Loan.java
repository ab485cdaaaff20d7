package io.github.slotbloom.internal.store.session;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jooq.exception.DataAccessException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A borrowed connection that is given back with the settings it came with. Not thread-safe. */
final class Loan implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Loan.class);

  /**
   * Longer than any lock wait, so that it cuts off only a stalled network or server. A shorter
   * timeout that the application chose stays in force.
   */
  private static final int NETWORK_TIMEOUT_MILLIS = 20_000;

  private static final int PING_SECONDS = 5;

  private final Connection connection;
  private final RepeatedStatements statements;

  /** Below zero as long as it is not known. */
  private int timeoutBefore = -1;

  private boolean discarded;

  private Loan(Connection connection) {
    this.connection = connection;
    this.statements = new RepeatedStatements(connection);
  }

  /**
   * Borrows a connection.
   *
   * @throws DatabaseFailure if the data source provides none
   */
  static Loan from(DataSource dataSource) {
    return from(dataSource, connection -> connection);
  }

  /**
   * Borrows a connection.
   *
   * @param check what is done with it before anything else
   * @throws DatabaseFailure if the data source provides none, or the check fails
   */
  static Loan from(DataSource dataSource, Work<?> check) {
    Loan loan;
    try {
      loan = new Loan(dataSource.getConnection());
    } catch (SQLException | RuntimeException e) {
      // Whatever a data source throws: some throw exceptions of their own kind.
      throw DatabaseFailure.ofNoConnection(e);
    }
    try {
      check.run(loan.connection);
      loan.limitNetworkTimeout();
      return loan;
    } catch (SQLException e) {
      DatabaseFailure failure = loan.failed(e);
      loan.close();
      throw failure;
    } catch (RuntimeException | Error e) {
      loan.close();
      throw e;
    }
  }

  private void limitNetworkTimeout() throws SQLException {
    timeoutBefore = connection.getNetworkTimeout();
    if (timeoutBefore == 0 || timeoutBefore > NETWORK_TIMEOUT_MILLIS) {
      connection.setNetworkTimeout(Runnable::run, NETWORK_TIMEOUT_MILLIS);
    }
  }

  Connection connection() {
    return connection;
  }

  RepeatedStatements statements() {
    return statements;
  }

  /**
   * Runs work on the connection, and discards the connection if the work shows that it is of no
   * use.
   */
  <T> T run(Work<T> work) {
    try {
      return work.run(connection);
    } catch (SQLException | DataAccessException | DatabaseFailure e) {
      throw failed(e);
    }
  }

  private DatabaseFailure failed(Exception e) {
    DatabaseFailure failure = e instanceof DatabaseFailure known ? known : DatabaseFailure.of(e);
    if (!failure.replayable() && !failure.outcomeUnknown() && !isAlive()) {
      failure = DatabaseFailure.ofLostConnection(e);
    }
    if (failure.connectionUseless()) {
      discard(failure);
    }
    return failure;
  }

  private boolean isAlive() {
    try {
      return connection.isValid(PING_SECONDS);
    } catch (SQLException e) {
      log.debug("could not be checked for being alive", e);
      return false;
    }
  }

  /** Returns true if the connection was ended. */
  boolean isDiscarded() {
    return discarded;
  }

  /** Ends the physical connection, and lets the pool know. */
  void discard(Throwable reason) {
    discarded = true;
    BrokenConnection.discard(connection, reason);
  }

  /**
   * Gives the connection back. Throws nothing: the outcome of the work is decided by now, so a
   * failure here must not change it.
   */
  @Override
  public void close() {
    try (connection;
        statements) {
      restoreNetworkTimeout();
    } catch (SQLException | RuntimeException | Error e) {
      log.debug("could not return the connection to the pool, so it is discarded", e);
      discard(e);
    }
  }

  /** Discards a connection that cannot be given back as it was, while it is still lent. */
  private void restoreNetworkTimeout() {
    try {
      if (timeoutBefore >= 0 && !connection.isClosed()) {
        connection.setNetworkTimeout(Runnable::run, timeoutBefore);
      }
    } catch (SQLException | RuntimeException | Error e) {
      log.debug("could not restore the network timeout, so the connection is discarded", e);
      discard(e);
    }
  }

  /** Work on a connection. */
  interface Work<T> {
    T run(Connection connection) throws SQLException;
  }
}
