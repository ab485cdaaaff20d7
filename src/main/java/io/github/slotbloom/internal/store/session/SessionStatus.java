package io.github.slotbloom.internal.store.session;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the server said of a session with its last answer. Connector/J keeps it, and tells it
 * without asking the server. Called by reflection, since the library has no driver.
 *
 * @param autocommit true if the server commits each statement that is in no transaction
 * @param inTransaction true if a transaction is open
 */
record SessionStatus(boolean autocommit, boolean inTransaction) {

  private static final Logger log = LoggerFactory.getLogger(SessionStatus.class);

  /** The methods that lead to the status, looked for once for each class of a driver. */
  private static final ClassValue<Optional<Path>> PATHS =
      new ClassValue<>() {
        @Override
        protected Optional<Path> computeValue(Class<?> driver) {
          return Path.in(driver);
        }
      };

  private record Path(Method session, Method server, Method isAutocommit, Method inTransaction) {

    static Optional<Path> in(Class<?> driver) {
      ClassLoader loader = driver.getClassLoader();
      try {
        Class<?> connection = Class.forName("com.mysql.cj.MysqlConnection", false, loader);
        Class<?> server = Class.forName("com.mysql.cj.protocol.ServerSession", false, loader);
        return connection.isAssignableFrom(driver)
            ? Optional.of(
                new Path(
                    connection.getMethod("getSession"),
                    Class.forName("com.mysql.cj.Session", false, loader)
                        .getMethod("getServerSession"),
                    server.getMethod("isAutocommit"),
                    server.getMethod("inTransactionOnServer")))
            : Optional.empty();
      } catch (ReflectiveOperationException e) {
        log.debug("{} does not tell the status of a session", driver, e);
        return Optional.empty();
      }
    }

    SessionStatus follow(Connection driver) throws ReflectiveOperationException {
      Object status = server.invoke(session.invoke(driver));
      return new SessionStatus(
          (boolean) isAutocommit.invoke(status), (boolean) inTransaction.invoke(status));
    }
  }

  /**
   * Returns what the last answer said; nothing is true if that said nothing, as that to a ping.
   *
   * @return empty if the driver does not tell it
   */
  static Optional<SessionStatus> read(Connection connection) throws SQLException {
    Connection driver = connection.unwrap(Connection.class);
    Optional<Path> path = PATHS.get(driver.getClass());
    try {
      return path.isPresent() ? Optional.of(path.get().follow(driver)) : Optional.empty();
    } catch (ReflectiveOperationException e) {
      log.debug("the status of a session cannot be read", e);
      return Optional.empty();
    }
  }

  /** Asks the server. Returns empty if the driver does not tell the answer. */
  static Optional<SessionStatus> ask(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("DO 0");
    }
    return read(connection);
  }

  /** Does the same as {@link #read}, and asks the server if its last answer said nothing. */
  static Optional<SessionStatus> readOrAsk(Connection connection) throws SQLException {
    Optional<SessionStatus> last = read(connection);
    boolean saysNothing = last.isPresent() && !last.get().autocommit && !last.get().inTransaction;
    return saysNothing ? ask(connection) : last;
  }

  /** Returns true if the server autocommits the next statement. */
  boolean commitsEach() {
    return autocommit && !inTransaction;
  }
}
