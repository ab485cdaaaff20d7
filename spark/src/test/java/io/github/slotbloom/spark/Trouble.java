package io.github.slotbloom.spark;

import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransactionRollbackException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** What befalls the commits of tasks in this JVM. */
final class Trouble {

  /** What may happen at a commit. */
  interface AtCommit {
    /**
     * @param number of the commit of an add, from 1 on
     */
    void commit(int number, Connection connection) throws SQLException;
  }

  /** Connections that their owners have lost, though the server has not. */
  private static final Set<Connection> ADRIFT = ConcurrentHashMap.newKeySet();

  private Trouble() {}

  /** Lets the owner of a connection lose it. Its transaction stays open. */
  static SQLException castAdrift(Connection connection) {
    ADRIFT.add(connection);
    return connectionLost();
  }

  static SQLException deadlock() {
    return new SQLTransactionRollbackException("deadlock on purpose", "40001", 1213);
  }

  static SQLException readOnly() {
    return new SQLException("read-only on purpose", "HY000", 1290);
  }

  static SQLException connectionLost() {
    return new SQLNonTransientConnectionException("lost on purpose", "08S01");
  }

  /** Returns the same pool, but for its commits. */
  static DataSource of(HikariDataSource real, AtomicInteger commits, AtCommit atCommit) {
    return (DataSource)
        Proxy.newProxyInstance(
            Trouble.class.getClassLoader(),
            new Class<?>[] {DataSource.class, AutoCloseable.class},
            (proxy, method, arguments) -> {
              Object result = call(real, method, arguments);
              return method.getName().equals("getConnection")
                  ? of((Connection) result, commits, atCommit)
                  : result;
            });
  }

  private static Connection of(Connection real, AtomicInteger commits, AtCommit atCommit) {
    return (Connection)
        Proxy.newProxyInstance(
            Trouble.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("commit") && isOfAdds()) {
                atCommit.commit(commits.incrementAndGet(), real);
                return null;
              }
              if (ADRIFT.contains(real)) {
                if (method.getName().equals("rollback")) {
                  throw connectionLost();
                }
                return null;
              }
              return call(real, method, arguments);
            });
  }

  /** The filter has transactions of its own, which fold. */
  private static boolean isOfAdds() {
    return StackWalker.getInstance()
        .walk(
            frames ->
                frames.anyMatch(
                    frame -> frame.getClassName().equals(RecordedAnswers.class.getName())));
  }

  private static Object call(Object real, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(real, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
