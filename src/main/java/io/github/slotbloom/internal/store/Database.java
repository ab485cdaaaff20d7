package io.github.slotbloom.internal.store;

import io.github.slotbloom.internal.store.journal.TailReader;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jooq.exception.DataAccessException;

/**
 * Borrows connections, runs work on them under settings of ours, and gives them back as they were.
 * A call borrows one connection and never a second one, so a pool of one is enough. Thread-safe.
 */
public final class Database {

  private final ServerVersion server;
  private final Transactions transactions;

  private Database(DataSource dataSource, ServerVersion server) {
    this.server = server;
    this.transactions = new Transactions(dataSource, server);
  }

  /**
   * Connects once to learn which server it is.
   *
   * @throws DatabaseFailure if that fails
   * @throws io.github.slotbloom.error.UnsupportedServerException if the server is too old
   */
  public static Database connect(DataSource dataSource) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet version = statement.executeQuery("SELECT VERSION()")) {
      version.next();
      ServerVersion server = ServerVersion.supported(version.getString(1));
      if (!connection.getAutoCommit()) {
        connection.rollback();
      }
      return new Database(dataSource, server);
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
    try (Loan loan = transactions.borrow()) {
      return prepareAndTransact(loan, work);
    }
  }

  /**
   * Runs work that only reads. Each of its statements sees what is committed when it begins. Where
   * the connection commits by itself no transaction is opened: {@link TailReader#tail}, which must
   * come first in such work, finds out whether the session can be trusted, and if not the work is
   * run again in {@link #transact}.
   *
   * @throws DatabaseFailure if a statement fails
   */
  public <T> T read(Function<Tx, T> work) {
    try (Loan loan = transactions.borrow()) {
      return loan.<Optional<T>>run(connection -> readUnprepared(connection, work))
          .orElseGet(() -> prepareAndTransact(loan, work));
    }
  }

  /** Returns nothing if the session is not fit for that. */
  private <T> Optional<T> readUnprepared(Connection connection, Function<Tx, T> work)
      throws SQLException {
    if (!connection.getAutoCommit()) {
      return Optional.empty();
    }
    try {
      return Optional.of(work.apply(transactions.unprepared(connection)));
    } catch (SessionUnfit e) {
      // The read may have opened a snapshot, where the server does not commit by itself.
      Session.rollback(connection);
      return Optional.empty();
    } catch (DataAccessException e) {
      if (DatabaseFailure.of(e).sessionUnfit()) {
        Session.rollback(connection);
        return Optional.empty();
      }
      throw e;
    }
  }

  public ServerVersion version() {
    return server;
  }

  /** Transactions that share a connection. */
  public KeptSession keptSession() {
    return new KeptSession(transactions);
  }

  private <T> T prepareAndTransact(Loan loan, Function<Tx, T> work) {
    transactions.prepare(loan);
    T result = transactions.run(loan, work);
    transactions.restore(loan);
    return result;
  }

  /** A transaction that the caller began on a connection of their own. */
  public CallerTransaction callersOn(Connection connection) {
    return new CallerTransaction(connection, transactions.dsl(connection), server);
  }

  /**
   * Thrown by a first read that finds the session's settings unfit for reading without a
   * transaction of ours.
   */
  public static final class SessionUnfit extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }
}
