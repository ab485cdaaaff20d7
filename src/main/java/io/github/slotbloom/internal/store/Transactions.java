package io.github.slotbloom.internal.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.conf.Settings;
import org.jooq.impl.DSL;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The steps of a transaction on a borrowed connection. Thread-safe. */
final class Transactions {

  private static final Logger log = LoggerFactory.getLogger(Transactions.class);

  private final DataSource dataSource;
  private final ServerVersion server;
  private final Session session;
  // Nobody reads the warnings. On a lost connection Connector/J answers a request for them with a
  // NullPointerException, which hides the real error.
  private final Settings settings =
      new Settings().withExecuteLogging(false).withFetchWarnings(false);

  Transactions(DataSource dataSource, ServerVersion server) {
    this.dataSource = dataSource;
    this.server = server;
    this.session = new Session(server);
  }

  Loan borrow() {
    return Loan.from(dataSource);
  }

  void prepare(Loan loan) {
    loan.run(
        connection -> {
          try {
            session.prepare(connection);
            return true;
          } catch (Throwable e) {
            rollback(loan, e);
            throw e;
          }
        });
  }

  /**
   * Runs work in a transaction and commits it. The session must be prepared. It stays prepared,
   * unless something fails: then it is restored.
   */
  <T> T run(Loan loan, Function<Tx, T> work) {
    return loan.run(
        connection -> {
          T result;
          try {
            result = work.apply(new Tx(dsl(connection), server, true));
          } catch (Throwable e) {
            rollback(loan, e);
            throw e;
          }
          try {
            Session.commit(connection);
          } catch (SQLException | RuntimeException | Error e) {
            loan.discard(e);
            throw DatabaseFailure.ofCommit(e);
          }
          return result;
        });
  }

  private void rollback(Loan loan, Throwable reason) {
    try {
      Session.rollback(loan.connection());
      session.restore(loan.connection());
    } catch (SQLException | RuntimeException | Error e) {
      reason.addSuppressed(e);
      loan.discard(reason);
    }
  }

  /**
   * Restores the session. Throws nothing: the work is committed already, so a failure here must not
   * look like a failure of the work.
   */
  void restore(Loan loan) {
    try {
      session.restore(loan.connection());
    } catch (SQLException | RuntimeException | Error e) {
      log.debug("could not restore the session settings, so the connection is discarded", e);
      loan.discard(e);
    }
  }

  /** Wraps a connection whose session still has its own settings. */
  Tx unprepared(Connection connection) {
    return new Tx(dsl(connection), server, false);
  }

  DSLContext dsl(Connection connection) {
    return DSL.using(connection, server.dialect(), settings);
  }
}
