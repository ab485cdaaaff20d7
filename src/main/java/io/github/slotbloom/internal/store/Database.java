package io.github.slotbloom.internal.store;

import io.github.slotbloom.error.OpenTransactionException;
import io.github.slotbloom.error.UnsupportedServerException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.Log;
import org.jooq.conf.Settings;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;
import org.jooq.tools.JooqLogger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Borrows connections, runs work on them with our session settings, and gives them back with their
 * old settings. A call borrows only one connection, so a pool of one is enough. Thread-safe.
 */
public final class Database {

  private static final Logger log = LoggerFactory.getLogger(Database.class);

  /** How long our statements wait for the locks of others, on rows and on tables. */
  public static final String LOCK_WAIT_SECONDS = "5";

  private static final String ONE_SERVER =
      "Give Slotbloom connections to the one server that has the filter:"
          + " docs/scale-out.md has a class for that.";

  private final DataSource dataSource;
  private final ServerVersion server;
  private final ReplicationGroup group;
  private final SessionConditions conditions;
  private final Session session;
  private final boolean chosen;
  // Nobody reads the warnings. On a lost connection Connector/J answers a request for them with a
  // NullPointerException, which hides the real error.
  private final Settings settings =
      new Settings().withExecuteLogging(false).withFetchWarnings(false);

  static {
    // No logo, no tip of the day, and no doubts about MariaDB 10, which calls itself 5.5.5.
    // This is our own copy of jOOQ: an application's one goes on logging as it likes.
    JooqLogger.globalThreshold(Log.Level.ERROR);
  }

  private Database(
      DataSource dataSource,
      ServerVersion server,
      ReplicationGroup group,
      SessionConditions conditions,
      boolean chosen) {
    this.dataSource = dataSource;
    this.server = server;
    this.group = group;
    this.conditions = conditions;
    this.chosen = chosen;
    this.session = new Session(server, group, conditions, chosen);
  }

  /**
   * Connects once to learn the version of the server, and whether it belongs to a group.
   *
   * @throws DatabaseFailure if the connection or the query fails
   * @throws UnsupportedServerException if the server is too old, or a connection may lead to
   *     several
   */
  public static Database connect(DataSource dataSource) {
    return connect(dataSource, ReplicationGroup::ofPrimary);
  }

  /**
   * Connects to members of a group whatever their role, for reads only. Reads from them are as
   * reliable as those from the primary.
   *
   * @throws DatabaseFailure if the connection or the query fails
   * @throws UnsupportedServerException if the server is too old, or its state in a group of MySQL
   *     cannot be read
   */
  static Database connectToMembers(DataSource dataSource) {
    return connect(
        dataSource,
        (group, server, chosen) -> {
          group.requireVisible();
          return group.ofMember();
        });
  }

  /** Tells when the sessions of a data source are trusted. */
  private interface Trusted {
    SessionConditions on(ReplicationGroup group, ServerVersion server, boolean chosen);
  }

  private static Database connect(DataSource dataSource, Trusted trusted) {
    try (Loan loan = Loan.from(dataSource, Database::requireOneSession)) {
      return loan.run(
          connection -> {
            boolean transactional = !connection.getAutoCommit();
            if (transactional) {
              OpenTransaction.refuse(connection);
            }
            ServerVersion server = versionOf(connection);
            ReplicationGroup group = ReplicationGroup.of(connection);
            boolean chosen = ReplicationGroup.isChosen(connection);
            if (transactional) {
              connection.rollback();
            }
            return new Database(
                dataSource, server, group, trusted.on(group, server, chosen), chosen);
          });
    }
  }

  private static ServerVersion versionOf(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet version = statement.executeQuery("SELECT VERSION()")) {
      version.next();
      return ServerVersion.supported(version.getString(1));
    }
  }

  /**
   * Runs work in a transaction of its own at READ COMMITTED, and commits it.
   *
   * @throws DatabaseFailure if a statement or the commit fails
   */
  public <T> T transact(Function<Tx, T> work) {
    try (Loan loan = borrow()) {
      return prepareAndTransact(loan, work);
    }
  }

  /**
   * Runs work that only reads. Each statement sees the data that is committed when the statement
   * begins. If the connection is in autocommit mode, no transaction is opened. The first statement
   * of such work must check by {@link SessionFitness} that the session can be trusted. If it
   * cannot, the work runs again in {@link #transact}.
   *
   * @throws DatabaseFailure if a statement fails
   */
  public <T> T read(Function<Tx, T> work) {
    try (Loan loan = borrow()) {
      return readUnprepared(loan, work).orElseGet(() -> prepareAndTransact(loan, work));
    }
  }

  /** Returns empty if the session is not fit for reads without a transaction of ours. */
  <T> Optional<T> readUnprepared(Loan loan, Function<Tx, T> work) {
    return loan.run(connection -> readUnprepared(loan, connection, work));
  }

  private <T> Optional<T> readUnprepared(Loan loan, Connection connection, Function<Tx, T> work)
      throws SQLException {
    if (!connection.getAutoCommit()) {
      return Optional.empty();
    }
    try {
      T result = work.apply(tx(loan, connection, false));
      if (SessionStatus.read(connection).filter(SessionStatus::inTransaction).isPresent()) {
        // What was read in a transaction of somebody else may be as old as that.
        endSnapshot(connection);
        return Optional.empty();
      }
      return Optional.of(result);
    } catch (SessionUnfit e) {
      endSnapshot(connection);
      return Optional.empty();
    } catch (DataAccessException | DatabaseFailure e) {
      if (DatabaseFailure.of(e).sessionUnfit()) {
        endSnapshot(connection);
        return Optional.empty();
      }
      throw e;
    }
  }

  /**
   * Ends the transaction that a read began if the server is not in autocommit mode, though the
   * driver thinks so. Where the server is, a transaction that is open was begun by somebody else.
   */
  private static void endSnapshot(Connection connection) throws SQLException {
    if (!Session.commitsEach(connection)) {
      Session.rollback(connection);
    }
  }

  public ServerVersion version() {
    return server;
  }

  public ReplicationGroup group() {
    return group;
  }

  /**
   * Returns the name of the group of MySQL that the server belongs to.
   *
   * @throws DatabaseFailure if it cannot be asked
   */
  String groupName() {
    return transact(tx -> String.valueOf(tx.dsl().fetchValue(ReplicationGroup.NAME)));
  }

  private <T> T prepareAndTransact(Loan loan, Function<Tx, T> work) {
    prepare(loan, false);
    T result = run(loan, work);
    restore(loan);
    return result;
  }

  /**
   * Returns true if the connections of the data source are for reading alone, as the application or
   * its pool says.
   *
   * @throws DatabaseFailure if the data source provides none
   */
  public boolean isForReading() {
    try (Loan loan = borrow()) {
      return loan.run(Connection::isReadOnly);
    }
  }

  /**
   * Refuses a connection whose statements need not run in one session.
   *
   * @return the same connection
   * @throws UnsupportedServerException if it is one of ShardingSphere
   */
  private static Connection requireOneSession(Connection connection) throws SQLException {
    if (isOfShardingSphere(connection)) {
      throw new UnsupportedServerException(
          "This data source is ShardingSphere's, which may run each statement in another session,"
              + " on another server, so nothing could be promised. "
              + ONE_SERVER);
    }
    return connection;
  }

  private static boolean isOfShardingSphere(Connection connection) throws SQLException {
    // A pool gives away what it wraps.
    Connection inner =
        connection.isWrapperFor(Connection.class)
            ? connection.unwrap(Connection.class)
            : connection;
    return inner.getClass().getName().startsWith("org.apache.shardingsphere.");
  }

  /**
   * Wraps a transaction that the caller began on their own connection.
   *
   * @throws DatabaseFailure if the connection cannot be asked what it is
   * @throws UnsupportedServerException if it is one of ShardingSphere
   */
  public CallerTransaction callersOn(Connection connection) {
    try {
      if (isOfShardingSphere(connection)) {
        throw new UnsupportedServerException(
            "This transaction is ShardingSphere's, and may lead to several servers. " + ONE_SERVER);
      }
    } catch (SQLException e) {
      throw DatabaseFailure.of(e);
    }
    return new CallerTransaction(connection, dsl(connection), server, group, conditions);
  }

  Loan borrow() {
    return Loan.from(dataSource);
  }

  /**
   * Prepares a session.
   *
   * @param commitEach true for {@link #runCommittingEach}, false for {@link #run}
   */
  void prepare(Loan loan, boolean commitEach) {
    loan.run(
        connection -> {
          try {
            session.prepare(connection, commitEach);
            return true;
          } catch (OpenTransactionException e) {
            throw e;
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
            result = work.apply(tx(loan, connection, true));
          } catch (Throwable e) {
            rollback(loan, e);
            throw e;
          }
          try {
            Session.commit(connection);
          } catch (SQLException | RuntimeException | Error e) {
            DatabaseFailure failure = DatabaseFailure.ofCommit(e);
            if (failure.outcomeUnknown()) {
              loan.discard(e);
            } else {
              rollback(loan, e);
            }
            throw failure;
          }
          return result;
        });
  }

  /** Prepares a prepared session for the other way to run work. */
  void commitEach(Loan loan, boolean each) {
    loan.run(
        connection -> {
          Session.commitEach(connection, each);
          return true;
        });
  }

  /**
   * Runs work whose statements the server commits by itself. The session must be prepared for that.
   * It stays prepared, unless something fails: then it is restored.
   */
  <T> T runCommittingEach(Loan loan, Function<Tx, T> work) {
    return loan.run(
        connection -> {
          try {
            return work.apply(tx(loan, connection, true));
          } catch (DataAccessException | DatabaseFailure e) {
            if (DatabaseFailure.of(e).certainlyRefused()) {
              rollback(loan, e);
              throw e;
            }
            loan.discard(e);
            throw DatabaseFailure.ofCommit(e);
          } catch (Throwable e) {
            rollback(loan, e);
            throw e;
          }
        });
  }

  /** Runs reads like {@link #runCommittingEach}. */
  <T> T readCommittingEach(Loan loan, Function<Tx, T> work) {
    return loan.run(
        connection -> {
          try {
            return work.apply(tx(loan, connection, true));
          } catch (Throwable e) {
            rollback(loan, e);
            throw e;
          }
        });
  }

  /**
   * Runs one statement that the server commits by itself, on a session that is not prepared.
   *
   * @return empty if nothing was written, and the session has to be prepared first: it is not known
   *     to commit each statement, a server of a group has to be asked for its role, or the server
   *     refused the statement
   */
  <T> Optional<T> runUnprepared(Loan loan, Function<Tx, T> work) {
    return loan.run(
        connection -> {
          if (group != ReplicationGroup.NONE
              || chosen
              || !connection.getAutoCommit()
              || SessionStatus.readOrAsk(connection).filter(SessionStatus::commitsEach).isEmpty()) {
            return Optional.empty();
          }
          try {
            return Optional.of(work.apply(tx(loan, connection, false)));
          } catch (DataAccessException | DatabaseFailure e) {
            if (DatabaseFailure.of(e).certainlyRefused()) {
              log.debug("a statement is repeated on a prepared session", e);
              return Optional.empty();
            }
            loan.discard(e);
            throw DatabaseFailure.ofCommit(e);
          } catch (Throwable e) {
            loan.discard(e);
            throw e;
          }
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

  private Tx tx(Loan loan, Connection connection, boolean prepared) {
    return new Tx(dsl(connection), server, group, conditions, loan.statements(), prepared);
  }

  private DSLContext dsl(Connection connection) {
    return DSL.using(connection, server.dialect(), settings);
  }

  /**
   * Thrown by the first read of some work if the settings of the session are unfit for reading
   * without a transaction of ours.
   */
  public static final class SessionUnfit extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }
}
