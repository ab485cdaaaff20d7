package io.github.slotbloom.store;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.conf.Settings;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Borrows connections, runs work on them under settings of ours, and gives them back as they were.
 * A call borrows one connection and never a second one, so a pool of one is enough. Thread-safe.
 */
public final class Database {

  private static final Logger log = LoggerFactory.getLogger(Database.class);

  /**
   * Longer than any lock wait, so that only a stalled network or server is cut off by it. Where the
   * application chose a shorter time, that holds.
   */
  private static final int NETWORK_TIMEOUT_MILLIS = 20_000;

  private final DataSource dataSource;
  private final SQLDialect dialect;
  // Nobody looks at warnings, and of a connection that was just lost Connector/J answers the
  // question
  // for them with a NullPointerException, which hides what happened.
  private final Settings settings =
      new Settings().withExecuteLogging(false).withFetchWarnings(false);

  private Database(DataSource dataSource, SQLDialect dialect) {
    this.dataSource = dataSource;
    this.dialect = dialect;
  }

  /**
   * Connects once to learn which server it is.
   *
   * @throws DatabaseFailure if that fails
   */
  public static Database connect(DataSource dataSource) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet version = statement.executeQuery("SELECT VERSION()")) {
      version.next();
      boolean mariaDb = version.getString(1).toLowerCase(Locale.ROOT).contains("mariadb");
      if (!connection.getAutoCommit()) {
        connection.rollback();
      }
      return new Database(dataSource, mariaDb ? SQLDialect.MARIADB : SQLDialect.MYSQL);
    } catch (SQLException e) {
      throw DatabaseFailure.of(e);
    }
  }

  /**
   * Runs work in a transaction of its own, READ COMMITTED, and commits it.
   *
   * @throws DatabaseFailure if a statement or the commit fails
   */
  public <T> T transact(Function<Tx, T> work) {
    return borrowed(connection -> transactOn(connection, work));
  }

  /**
   * Runs work that only reads. Each of its statements sees what is committed when it begins. Where
   * the connection commits by itself no transaction is opened: {@link Journal#tail}, which must
   * come first in such work, finds out whether the session can be trusted, and if not the work is
   * run again in {@link #transact}.
   *
   * @throws DatabaseFailure if a statement fails
   */
  public <T> T read(Function<Tx, T> work) {
    return borrowed(
        connection -> {
          if (connection.getAutoCommit()) {
            try {
              return work.apply(new Tx(dsl(connection), false));
            } catch (SessionUnfit e) {
              // The read may have opened a snapshot, where the server does not commit by itself.
              Session.rollback(connection);
            } catch (DataAccessException e) {
              if (!DatabaseFailure.of(e).sessionUnfit()) {
                throw e;
              }
            }
          }
          return transactOn(connection, work);
        });
  }

  private <T> T transactOn(Connection connection, Function<Tx, T> work) throws SQLException {
    T result;
    try {
      Session.begin(connection);
      result = work.apply(new Tx(dsl(connection), true));
    } catch (Throwable e) {
      rollback(connection, e);
      throw e;
    }
    try {
      Session.commit(connection);
    } catch (SQLException | RuntimeException | Error e) {
      discard(connection, e);
      throw DatabaseFailure.ofCommit(e);
    }
    restore(connection);
    return result;
  }

  private static void rollback(Connection connection, Throwable reason) {
    try {
      Session.rollback(connection);
      Session.restore(connection);
    } catch (SQLException | RuntimeException e) {
      reason.addSuppressed(e);
      discard(connection, reason);
    }
  }

  /** The work is committed already, so a failure here must not look like one of the work. */
  private static void restore(Connection connection) {
    try {
      Session.restore(connection);
    } catch (SQLException | RuntimeException e) {
      log.debug("could not restore the session settings, so the connection is discarded", e);
      discard(connection, e);
    }
  }

  private <T> T borrowed(ConnectionWork<T> work) {
    Connection connection;
    try {
      connection = dataSource.getConnection();
    } catch (SQLException e) {
      throw DatabaseFailure.of(e);
    }
    int timeoutBefore = 0;
    try {
      timeoutBefore = connection.getNetworkTimeout();
      if (timeoutBefore == 0 || timeoutBefore > NETWORK_TIMEOUT_MILLIS) {
        connection.setNetworkTimeout(Runnable::run, NETWORK_TIMEOUT_MILLIS);
      }
      return work.run(connection);
    } catch (SQLException | DataAccessException e) {
      throw failed(connection, DatabaseFailure.of(e));
    } catch (DatabaseFailure e) {
      throw failed(connection, e);
    } finally {
      giveBack(connection, timeoutBefore);
    }
  }

  /** Whatever the work came to is decided by now, so a failure here must not change the answer. */
  private static void giveBack(Connection connection, int timeoutBefore) {
    try (connection) {
      if (!connection.isClosed()) {
        connection.setNetworkTimeout(Runnable::run, timeoutBefore);
      }
    } catch (SQLException | RuntimeException e) {
      log.debug("could not give the connection back as it was, so it is discarded", e);
      discard(connection, e);
    }
  }

  private static DatabaseFailure failed(Connection connection, DatabaseFailure failure) {
    if (failure.connectionUseless()) {
      discard(connection, failure);
    }
    return failure;
  }

  /**
   * Closes the connection itself, not only its loan, and lets the pool notice: pools evict what
   * fails with state 08.
   */
  private static void discard(Connection connection, Throwable reason) {
    try {
      connection.abort(Runnable::run);
      connection.createStatement().close();
    } catch (SQLException e) {
      reason.addSuppressed(e);
    }
  }

  /** A transaction that the caller began on a connection of their own. */
  public CallerTransaction callersOn(Connection connection) {
    return new CallerTransaction(connection, dsl(connection));
  }

  private DSLContext dsl(Connection connection) {
    return DSL.using(connection, dialect, settings);
  }

  /**
   * Thrown by a first read that finds the session's settings unfit for reading without a
   * transaction of ours.
   */
  static final class SessionUnfit extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  private interface ConnectionWork<T> {
    T run(Connection connection) throws SQLException;
  }
}
