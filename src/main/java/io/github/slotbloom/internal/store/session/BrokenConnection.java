package io.github.slotbloom.internal.store.session;

import java.lang.reflect.InvocationTargetException;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * Ends a borrowed connection so that its pool lends it to nobody, and makes another in its place.
 */
public final class BrokenConnection {

  /** The pool of Tomcat looks at no exception, but can be told. */
  private static final String POOLED_BY_TOMCAT = "org.apache.tomcat.jdbc.pool.PooledConnection";

  private BrokenConnection() {}

  /**
   * Ends a connection, which is to be closed after that as any other.
   *
   * @param reason takes what fails here
   */
  public static void discard(Connection connection, Throwable reason) {
    try {
      if (!connection.isClosed()) {
        abort(connection, reason);
      }
      tellTomcat(connection);
    } catch (SQLException | ReflectiveOperationException | RuntimeException | Error e) {
      reason.addSuppressed(e);
    }
    try {
      // It fails with SQL state 08, by which other pools notice.
      connection.createStatement().close();
    } catch (SQLException | RuntimeException | Error e) {
      reason.addSuppressed(e);
    }
  }

  /** Agroal and c3p0 never get the place back of a connection that is aborted through them. */
  private static void abort(Connection connection, Throwable reason) throws SQLException {
    Connection physical = connection;
    try {
      physical = connection.unwrap(Connection.class);
    } catch (SQLException e) {
      reason.addSuppressed(e);
    }
    physical.abort(Runnable::run);
  }

  private static void tellTomcat(Connection connection)
      throws SQLException, ReflectiveOperationException {
    Class<?> pooled;
    try {
      pooled = Class.forName(POOLED_BY_TOMCAT, false, connection.getClass().getClassLoader());
    } catch (ClassNotFoundException e) {
      return; // It comes from another pool.
    }
    Object tomcats;
    try {
      tomcats = connection.unwrap(pooled);
    } catch (SQLException e) {
      return; // Both pools are there, and it comes from the other one.
    }
    try {
      pooled.getMethod("setDiscarded", boolean.class).invoke(tomcats, true);
    } catch (InvocationTargetException e) {
      throw new IllegalStateException(e.getCause());
    }
  }
}
