package io.github.slotbloom.testing;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.platform.commons.support.ReflectionSupport;

/**
 * Wraps a data source. On request, loses the answer to a COMMIT, or sends a statement twice. Counts
 * rollbacks.
 */
public final class TappedConnections {

  /** The action that replaces a COMMIT. */
  public interface Instead {
    void happen(Statement commit) throws SQLException;
  }

  private final DataSource dataSource;

  private record Loss(String onlyIf, Instead instead) {}

  private final AtomicReference<@Nullable Loss> next = new AtomicReference<>();
  private final AtomicReference<@Nullable String> repeated = new AtomicReference<>();
  private final AtomicInteger rollbacks = new AtomicInteger();

  public TappedConnections(DataSource real) {
    dataSource = wrap(DataSource.class, real);
  }

  public DataSource dataSource() {
    return dataSource;
  }

  /**
   * Replaces the answer to one COMMIT by an error.
   *
   * @param onlyIf a query that is true only in the chosen transaction
   */
  public void loseCommit(String onlyIf, Instead instead) {
    next.set(new Loss(onlyIf, instead));
  }

  /**
   * Sends one prepared statement twice, and returns the result of the second time, as something
   * between a process and its server may do.
   *
   * @param part a part of its text
   */
  public void sendTwice(String part) {
    repeated.set(part);
  }

  /** Returns true if a statement still waits to be sent twice. */
  public boolean waitsToSendTwice() {
    return repeated.get() != null;
  }

  /** Returns how many transactions were rolled back so far. */
  public int rollbacks() {
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
              Object result = ReflectionSupport.invokeMethod(method, real, arguments);
              return switch (method.getName()) {
                case "getConnection" -> wrap(Connection.class, (Connection) result);
                case "createStatement" -> wrap(Statement.class, (Statement) result);
                case "prepareStatement" ->
                    isToBeRepeated((String) arguments[0])
                        ? sentTwice((PreparedStatement) result)
                        : result;
                default -> result;
              };
            }));
  }

  private boolean isToBeRepeated(String sql) {
    String part = repeated.get();
    return part != null && sql.contains(part) && repeated.compareAndSet(part, null);
  }

  private static PreparedStatement sentTwice(PreparedStatement real) {
    return (PreparedStatement)
        Proxy.newProxyInstance(
            PreparedStatement.class.getClassLoader(),
            new Class<?>[] {PreparedStatement.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("executeUpdate")) {
                ReflectionSupport.invokeMethod(method, real, arguments);
              }
              return ReflectionSupport.invokeMethod(method, real, arguments);
            });
  }

  private void tap(Statement statement, String sql) throws SQLException {
    if (sql.equals("ROLLBACK")) {
      rollbacks.incrementAndGet();
    }
    Loss loss = sql.equals("COMMIT") ? next.get() : null;
    if (loss != null && isTrue(statement, loss.onlyIf) && next.compareAndSet(loss, null)) {
      loss.instead.happen(statement);
      throw new SQLNonTransientConnectionException("lost by a test", "08S01");
    }
  }

  private static boolean isTrue(Statement statement, String query) throws SQLException {
    try (ResultSet answer = statement.executeQuery(query)) {
      return answer.next() && answer.getBoolean(1);
    }
  }
}
