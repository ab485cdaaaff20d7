package io.github.slotbloom.internal.store;

import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Statements that are executed again and again on one connection. Once a text is worth it, the
 * server prepares it, and parses it once. What was prepared stays with the physical connection,
 * however often a pool lends that. Not thread-safe.
 */
public final class RepeatedStatements {

  /** Reads the row that a result is at. */
  @FunctionalInterface
  public interface Row<T> {
    T read(ResultSet row) throws SQLException;
  }

  @FunctionalInterface
  private interface Work<T> {
    T on(PreparedStatement statement) throws SQLException;
  }

  /**
   * What is known of a physical connection. It refers to the statements weakly, since they refer to
   * their connection, which keeps them as long as they are open.
   */
  private static final class Known {
    private final Map<String, Integer> executions = new HashMap<>();
    private final Map<String, WeakReference<PreparedStatement>> prepared = new HashMap<>();
    private boolean impossible;

    /** Returns null if the text is not worth preparing, or cannot be prepared. */
    @Nullable PreparedStatement onServer(String sql, Connection physical) throws SQLException {
      WeakReference<PreparedStatement> before = prepared.get(sql);
      PreparedStatement open = before == null ? null : before.get();
      if (open != null && !open.isClosed()) {
        return open;
      }
      prepared.remove(sql);
      if (impossible || prepared.size() >= MOST_PREPARED || !isWorthPreparing(sql)) {
        return null;
      }
      PreparedStatement onServer = prepareOnServer(sql, physical);
      if (onServer == null) {
        impossible = true;
      } else {
        prepared.put(sql, new WeakReference<>(onServer));
      }
      return onServer;
    }

    private boolean isWorthPreparing(String sql) {
      if (executions.size() >= MOST_COUNTED) {
        executions.clear();
      }
      return executions.merge(sql, 1, Integer::sum) > EXECUTIONS_BEFORE_PREPARING;
    }

    /** Returns null if the driver or the server does not prepare the statement. */
    private static @Nullable PreparedStatement prepareOnServer(String sql, Connection physical) {
      if (Proxy.isProxyClass(physical.getClass())) {
        // A URL with several servers, of which another one may be in use next time.
        return null;
      }
      try {
        Method prepare = physical.getClass().getMethod(PREPARE_ON_SERVER, String.class);
        return (PreparedStatement) prepare.invoke(physical, sql);
      } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException e) {
        // If the connection is lost, the statement shows it when it is executed.
        log.debug("a statement is not prepared by the server", e);
        return null;
      }
    }
  }

  private static final Logger log = LoggerFactory.getLogger(RepeatedStatements.class);

  /** Preparing takes a round trip, so a few executions go without. */
  private static final int EXECUTIONS_BEFORE_PREPARING = 3;

  /** All connections to a server share what it prepares for them, 16,382 by default. */
  private static final int MOST_PREPARED = 8;

  /** Batches of many sizes have many texts, of which none comes often. */
  private static final int MOST_COUNTED = 64;

  /** The server forgot what it had prepared, as when somebody resets the session. */
  private static final int UNKNOWN_STATEMENT = 1243;

  /**
   * The method of Connector/J that prepares on the server, whatever the URL says. Called by
   * reflection, since the library has no driver.
   */
  private static final String PREPARE_ON_SERVER = "serverPrepareStatement";

  private static final Map<Connection, Known> OF_PHYSICAL =
      Collections.synchronizedMap(new WeakHashMap<>());

  private final Connection connection;

  RepeatedStatements(Connection connection) {
    this.connection = connection;
  }

  /**
   * Executes a statement that returns no rows, by {@code executeUpdate}. Before other calls
   * Connector/J asks the server whether the session is read-only, unless its URL says otherwise.
   *
   * @param values whole numbers, texts, truth values, and bytes for {@code unhex(?)}
   */
  public void execute(String sql, List<Object> values) throws SQLException {
    run(sql, values, PreparedStatement::executeUpdate);
  }

  /**
   * Executes a query that has one row.
   *
   * @param values as for {@link #execute}
   */
  public <T> T queryOne(String sql, List<Object> values, Row<T> row) throws SQLException {
    return run(
        sql,
        values,
        statement -> {
          try (ResultSet rows = statement.executeQuery()) {
            rows.next();
            return row.read(rows);
          }
        });
  }

  private <T> T run(String sql, List<Object> values, Work<T> work) throws SQLException {
    Connection physical = connection.unwrap(Connection.class);
    Known known = OF_PHYSICAL.computeIfAbsent(physical, first -> new Known());
    PreparedStatement onServer = known.onServer(sql, physical);
    if (onServer != null) {
      try {
        bind(onServer, values);
        T result = work.on(onServer);
        // The statement stays, and may have had megabytes.
        onServer.clearParameters();
        return result;
      } catch (SQLException e) {
        if (e.getErrorCode() != UNKNOWN_STATEMENT) {
          throw e;
        }
        known.prepared.remove(sql);
      }
    }
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, values);
      return work.on(statement);
    }
  }

  private static void bind(PreparedStatement statement, List<Object> values) throws SQLException {
    for (int i = 0; i < values.size(); i++) {
      bind(statement, i + 1, values.get(i));
    }
  }

  private static void bind(PreparedStatement statement, int place, Object value)
      throws SQLException {
    if (value instanceof Number number) {
      statement.setLong(place, number.longValue());
    } else if (value instanceof String text) {
      statement.setString(place, text);
    } else if (value instanceof byte[] bytes) {
      statement.setString(place, HexBinding.digits(bytes));
    } else {
      statement.setBoolean(place, (boolean) value);
    }
  }
}
