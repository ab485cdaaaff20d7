package io.github.slotbloom.internal.schema;

import io.github.slotbloom.error.TransactionStateException;
import io.github.slotbloom.internal.store.session.BrokenConnection;
import io.github.slotbloom.internal.store.session.OpenTransaction;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Lends connections of a pool with settings under which Flyway and the library's migrations work,
 * and gives them back with their original settings. Thread-safe.
 */
final class PreparedConnections {

  /** The values to set. Each server has only some of these names. */
  private static final Map<String, String> OURS =
      Map.of(
          // The history of Flyway names no engine, and has columns that are empty texts.
          "default_storage_engine", "InnoDB",
          "sql_mode", "'STRICT_ALL_TABLES'",
          "sql_safe_updates", "0",
          "completion_type", "'NO_CHAIN'",
          "transaction_read_only", "0",
          "tx_read_only", "0",
          "max_execution_time", "0",
          "max_statement_time", "0");

  /**
   * The values to set first. The original limits would also cut off or refuse the list of the other
   * settings.
   */
  private static final Map<String, String> FIRST =
      Map.of("sql_select_limit", "18446744073709551615", "sql_big_selects", "1");

  /** The settings that limit how long a statement waits for a lock, in seconds. */
  private static final List<String> LOCK_WAITS =
      List.of("lock_wait_timeout", "innodb_lock_wait_timeout");

  private static final String SHOW =
      Stream.concat(OURS.keySet().stream(), LOCK_WAITS.stream())
          .collect(
              Collectors.joining("', '", "SHOW SESSION VARIABLES WHERE Variable_name IN ('", "')"));

  private final Map<String, String> ours;

  private PreparedConnections(Map<String, String> ours) {
    this.ours = ours;
  }

  /**
   * @param lockWait how long a statement waits for a lock; without a limit a change of a view waits
   *     for each transaction that uses it, and all others wait behind that
   */
  static DataSource of(DataSource pool, Duration lockWait) {
    Map<String, String> ours = new HashMap<>(OURS);
    String seconds = String.valueOf(Math.max(1, lockWait.toSeconds()));
    LOCK_WAITS.forEach(name -> ours.put(name, seconds));
    return new PreparedConnections(ours).over(pool);
  }

  private DataSource over(DataSource pool) {
    return proxy(
        DataSource.class,
        (proxy, method, arguments) -> {
          Object result = call(pool, method, arguments);
          return result instanceof Connection connection ? prepared(connection) : result;
        });
  }

  static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            PreparedConnections.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  static @Nullable Object call(
      Object target, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private Connection prepared(Connection connection) throws SQLException {
    Map<String, String> before;
    int timeoutBefore;
    try {
      timeoutBefore = connection.getNetworkTimeout();
      // The first statement that changes a table would commit it.
      OpenTransaction.refuse(connection);
      before = limits(connection);
      set(connection, FIRST, FIRST.keySet());
      Map<String, String> others = show(connection);
      set(connection, ours, others.keySet());
      before.putAll(others);
      // Whoever holds a lock may take longer.
      connection.setNetworkTimeout(Runnable::run, 0);
    } catch (TransactionStateException e) {
      try (connection) {
        throw e;
      }
    } catch (SQLException | RuntimeException e) {
      try (connection) {
        BrokenConnection.discard(connection, e);
        throw e;
      }
    }
    return proxy(
        Connection.class,
        (proxy, method, arguments) -> {
          if (method.getName().equals("close") && !connection.isClosed()) {
            giveBack(connection, before, timeoutBefore);
            return null;
          }
          return call(connection, method, arguments);
        });
  }

  /**
   * Does the same as {@link #show} for the limits themselves, with a query that works under them.
   */
  private static Map<String, String> limits(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT @@SESSION.sql_select_limit, @@SESSION.sql_big_selects LIMIT 1")) {
      row.next();
      Map<String, String> values = new TreeMap<>();
      values.put("sql_select_limit", row.getString(1));
      values.put("sql_big_selects", row.getString(2));
      return values;
    }
  }

  /**
   * Returns the settings as literals, by name. User variables could not keep them, since Flyway
   * clears those.
   */
  private static Map<String, String> show(Connection connection) throws SQLException {
    Map<String, String> values = new TreeMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(SHOW)) {
      while (rows.next()) {
        String value = rows.getString(2);
        boolean number = value.matches("[0-9.]+");
        values.put(rows.getString(1), number ? value : "'" + value + "'");
      }
    }
    return values;
  }

  private static void set(Connection connection, Map<String, String> values, Set<String> names)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          names.stream()
              .map(name -> "SESSION " + name + " = " + values.get(name))
              .collect(Collectors.joining(", ", "SET ", "")));
    }
  }

  /**
   * Gives the connection back with its original settings. A connection that cannot be restored must
   * not be used again.
   */
  private static void giveBack(Connection connection, Map<String, String> before, int timeoutBefore)
      throws SQLException {
    try (connection) {
      restore(connection, before, timeoutBefore);
    }
  }

  private static void restore(Connection connection, Map<String, String> before, int timeoutBefore)
      throws SQLException {
    try {
      // None was open before, and not every pool ends the one that a query began.
      if (!connection.getAutoCommit()) {
        connection.rollback();
      }
      connection.setNetworkTimeout(Runnable::run, timeoutBefore);
      set(connection, before, before.keySet());
    } catch (SQLException e) {
      BrokenConnection.discard(connection, e);
      throw e;
    }
  }
}
