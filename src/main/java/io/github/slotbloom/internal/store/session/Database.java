package io.github.slotbloom.internal.store.session;

import io.github.slotbloom.error.UnsupportedVersionException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.sql.Statement;
import java.util.function.Function;
import java.util.function.LongSupplier;
import javax.sql.DataSource;

/**
 * Borrows connections, runs work on them with our session settings, and gives them back with their
 * old settings. A call borrows only one connection, so a pool of one is enough. Thread-safe.
 */
public final class Database {

  /** How long our statements wait for the locks of others, on rows and on tables. */
  public static final String LOCK_WAIT_SECONDS = "5";

  private static final String ONE_SERVER =
      "Give Slotbloom connections to the one server that has the filter:"
          + " docs/scale-out.md has a class for that.";

  private final Sessions sessions;

  private Database(Sessions sessions) {
    this.sessions = sessions;
  }

  /**
   * Connects once to learn the version of the server, and whether it belongs to a group.
   *
   * @throws DatabaseFailure if the connection or the query fails
   * @throws UnsupportedVersionException if the server is too old, or a connection may lead to
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
   * @throws UnsupportedVersionException if the server is too old, or its state in a group of MySQL
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
    String several =
        "This data source is ShardingSphere's, which can run each statement in another session on"
            + " another server, so no promise would hold. ";
    try (Loan loan = Loan.from(dataSource, connection -> requireOneSession(connection, several))) {
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
                new Sessions(dataSource, server, group, trusted.on(group, server, chosen), chosen));
          });
    }
  }

  private static ServerVersion versionOf(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet version = UnpreparedSession.ask(statement, "VERSION()")) {
      version.next();
      return ServerVersion.supported(version.getString(1));
    } catch (SQLSyntaxErrorException e) {
      // Both MySQL and MariaDB know the function.
      throw ServerVersion.unsupported(connection.getMetaData().getDatabaseProductName());
    }
  }

  /**
   * Runs work in a transaction of its own at READ COMMITTED, and commits it.
   *
   * @throws DatabaseFailure if a statement or the commit fails
   */
  public <T> T transact(Function<Tx, T> work) {
    try (KeptSession session = new KeptSession(sessions)) {
      return session.transact(work);
    }
  }

  /**
   * Runs work that only reads. Each statement sees the data that is committed when the statement
   * begins. If the connection is in autocommit mode, no transaction is opened. The first statement
   * of such work must check by {@link SessionFitness} that the session can be trusted. If it
   * cannot, the work runs again with our settings.
   *
   * @throws DatabaseFailure if a statement fails
   */
  public <T> T read(Function<Tx, T> work) {
    try (KeptSession session = new KeptSession(sessions)) {
      return session.read(work);
    }
  }

  /**
   * Returns a session for work that follows other work.
   *
   * @param nanoTime a monotonic clock in nanoseconds
   */
  public KeptSession keptSession(LongSupplier nanoTime) {
    return new KeptSession(sessions, nanoTime);
  }

  public ServerVersion version() {
    return sessions.server();
  }

  public ReplicationGroup group() {
    return sessions.group();
  }

  /**
   * Returns the name of the group of MySQL that the server belongs to.
   *
   * @throws DatabaseFailure if it cannot be asked
   */
  String groupName() {
    return transact(tx -> String.valueOf(tx.dsl().fetchValue("SELECT " + ReplicationGroup.NAME)));
  }

  /**
   * Returns true if the connections of the data source are for reading alone, as the application or
   * its pool says.
   *
   * @throws DatabaseFailure if the data source provides none
   */
  public boolean isForReading() {
    try (Loan loan = sessions.borrow()) {
      return loan.run(Connection::isReadOnly);
    }
  }

  /** Returns true, or refuses a connection whose statements need not run in one session. */
  private static boolean requireOneSession(Connection connection, String otherwise)
      throws SQLException {
    // A pool gives away what it wraps.
    Connection inner =
        connection.isWrapperFor(Connection.class)
            ? connection.unwrap(Connection.class)
            : connection;
    if (inner.getClass().getName().startsWith("org.apache.shardingsphere.")) {
      throw new UnsupportedVersionException(otherwise + ONE_SERVER);
    }
    return true;
  }

  /**
   * Wraps a transaction that the caller began on their own connection.
   *
   * @throws DatabaseFailure if the connection cannot be asked what it is
   * @throws UnsupportedVersionException if it is one of ShardingSphere
   */
  public CallerTransaction callersOn(Connection connection) {
    try {
      requireOneSession(
          connection, "This transaction is ShardingSphere's and can span several servers. ");
    } catch (SQLException e) {
      throw DatabaseFailure.of(e);
    }
    return new CallerTransaction(connection, sessions);
  }
}
