package io.github.slotbloom;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;

/** A data source that loses the answer to a COMMIT when told to, and counts rollbacks. */
final class TappedConnections {

  /** What happens in place of a COMMIT. */
  interface Instead {
    void happen(Statement commit) throws SQLException;
  }

  private final DataSource dataSource;
  private final AtomicReference<Instead> next = new AtomicReference<>();
  private final AtomicInteger rollbacks = new AtomicInteger();

  TappedConnections(DataSource real) {
    dataSource = wrap(DataSource.class, real);
  }

  DataSource dataSource() {
    return dataSource;
  }

  /** Of the next COMMIT only an error is heard. */
  void loseNextCommit(Instead instead) {
    next.set(instead);
  }

  /** How many transactions were rolled back so far. */
  int rollbacks() {
    return rollbacks.get();
  }

  private <T> T wrap(Class<T> type, T real) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (method.getName().equals("execute")) {
                tap((Statement) real, (String) arguments[0]);
              }
              try {
                Object result = method.invoke(real, arguments);
                return switch (method.getName()) {
                  case "getConnection" -> wrap(Connection.class, (Connection) result);
                  case "createStatement" -> wrap(Statement.class, (Statement) result);
                  default -> result;
                };
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  private void tap(Statement statement, String sql) throws SQLException {
    if (sql.equals("ROLLBACK")) {
      rollbacks.incrementAndGet();
    }
    Instead instead = sql.equals("COMMIT") ? next.getAndSet(null) : null;
    if (instead != null) {
      instead.happen(statement);
      throw new SQLNonTransientConnectionException("lost by a test", "08S01");
    }
  }
}
