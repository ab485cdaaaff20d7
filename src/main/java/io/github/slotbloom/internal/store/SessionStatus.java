package io.github.slotbloom.internal.store;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the server said of a session with its last answer. Connector/J keeps it, and tells it
 * without asking the server. Called by reflection, since the library has no driver.
 */
final class SessionStatus {

  private static final Logger log = LoggerFactory.getLogger(SessionStatus.class);

  private SessionStatus() {}

  /**
   * Returns true if the server commits each statement of the session by itself, and no transaction
   * is open. Returns false as well if it is not known, as with another driver.
   */
  static boolean commitsEach(Connection connection) throws SQLException {
    if (!connection.getAutoCommit()) {
      return false;
    }
    try {
      Object session =
          call(connection.unwrap(Connection.class), "com.mysql.cj.MysqlConnection", "getSession");
      Object server = call(session, "com.mysql.cj.Session", "getServerSession");
      if ((int) ask(server, "getStatusFlags") == 0) {
        // The last answer had none, as that to a pool's ping.
        try (Statement statement = connection.createStatement()) {
          statement.execute("DO 0");
        }
      }
      return (boolean) ask(server, "isAutocommit")
          && !(boolean) ask(server, "inTransactionOnServer");
    } catch (ReflectiveOperationException e) {
      log.debug("the driver does not tell the status of the session", e);
      return false;
    }
  }

  private static Object ask(Object server, String method) throws ReflectiveOperationException {
    return call(server, "com.mysql.cj.protocol.ServerSession", method);
  }

  private static Object call(Object target, String type, String method)
      throws ReflectiveOperationException {
    ClassLoader loader = target.getClass().getClassLoader();
    if (loader == null) {
      throw new ClassNotFoundException(type);
    }
    Class<?> declaring = Class.forName(type, false, loader);
    if (!declaring.isInstance(target)) {
      throw new ClassNotFoundException(type + " of " + target.getClass());
    }
    return declaring.getMethod(method).invoke(target);
  }
}
