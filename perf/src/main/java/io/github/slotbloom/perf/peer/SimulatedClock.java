package io.github.slotbloom.perf.peer;

import com.mysql.cj.jdbc.JdbcConnection;
import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import javax.sql.DataSource;

/**
 * Gives the sessions of a pool another time than the server has. A session has the time of the
 * moment at which it was borrowed. It is told only if that changed, so a clock that stands still
 * costs no round trips.
 */
public final class SimulatedClock {

  private static final long A_MILLISECOND = 1_000_000;

  private final HikariDataSource pool;
  private final Supplier<Instant> now;
  private final Map<JdbcConnection, Instant> told = new ConcurrentHashMap<>();

  /**
   * Creates a clock.
   *
   * @param now the time; the library does not believe one that is far ahead of the machine's
   */
  public SimulatedClock(HikariDataSource pool, Supplier<Instant> now) {
    this.pool = pool;
    this.now = now;
  }

  /** Waits until no session is borrowed, so that the next ones have the time of then. */
  public void awaitIdle() {
    while (pool.getHikariPoolMXBean().getActiveConnections() > 0) {
      LockSupport.parkNanos(A_MILLISECOND);
    }
  }

  public DataSource dataSource() {
    return (DataSource)
        Proxy.newProxyInstance(
            DataSource.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> {
              try {
                Object result = method.invoke(pool, arguments);
                if (result instanceof Connection connection) {
                  tell(connection);
                }
                return result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private void tell(Connection connection) throws SQLException {
    Instant at = now.get();
    JdbcConnection session = connection.unwrap(JdbcConnection.class);
    if (!at.equals(told.get(session))) {
      try (Statement statement = connection.createStatement()) {
        statement.execute(
            String.format(
                Locale.ROOT,
                "SET SESSION timestamp = %d.%06d",
                at.getEpochSecond(),
                at.getNano() / 1000));
      }
      told.put(session, at);
    }
  }
}
