package io.github.slotbloom.internal.schema;

import java.lang.reflect.Method;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Wraps a data source for Flyway, so that results have no timestamps, and we decide how long it
 * waits for its lock.
 *
 * <p>Flyway reads the time of each migration as a timestamp. The driver computes it in the time
 * zone of the JVM, and throws if this zone skips the time, as each zone with summer time does once
 * a year. One such row would stop all migrations for good. If there is no timestamp, Flyway reads
 * the time as text, which always works.
 *
 * <p>Before it migrates, Flyway asks for a lock by a name, again and again, for ten seconds each,
 * without an end. Here each such request comes back at once, so that an interrupt ends the wait.
 */
final class FlywayConnections {

  /** The part of the request for the lock that says how long the server waits. */
  private static final Pattern LOCK = Pattern.compile("(?<=GET_LOCK\\(\\?, ?)10(?=\\))");

  /** The types of objects that a data source leads to, the more special ones first. */
  static final List<Class<?>> WRAPPED =
      List.of(
          Connection.class,
          CallableStatement.class,
          PreparedStatement.class,
          Statement.class,
          ResultSet.class);

  private final LockWait wait;

  private FlywayConnections(LockWait wait) {
    this.wait = wait;
  }

  /**
   * @param wait is told of each request for the lock of Flyway
   */
  static DataSource of(DataSource dataSource, LockWait wait) {
    return new FlywayConnections(wait).wrap(dataSource, DataSource.class);
  }

  private <T> T wrap(Object target, Class<T> type) {
    return PreparedConnections.proxy(
        type, (proxy, method, arguments) -> call(target, method, arguments));
  }

  private @Nullable Object call(
      Object target, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    if (target instanceof ResultSet && method.getName().equals("getTimestamp")) {
      return null;
    }
    if (method.getName().equals("prepareStatement") && arguments != null) {
      arguments[0] = prepared((String) arguments[0]);
    }
    return wrap(PreparedConnections.call(target, method, arguments));
  }

  private String prepared(String sql) throws SQLException {
    if (sql.contains("RELEASE_LOCK(")) {
      wait.released();
    }
    Matcher lock = LOCK.matcher(sql);
    if (!lock.find()) {
      return sql;
    }
    wait.asked();
    return lock.replaceFirst("0");
  }

  private @Nullable Object wrap(@Nullable Object result) {
    for (Class<?> type : WRAPPED) {
      if (result != null && type.isInstance(result)) {
        return wrap(result, type);
      }
    }
    return result;
  }
}
