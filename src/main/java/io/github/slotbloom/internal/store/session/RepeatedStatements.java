package io.github.slotbloom.internal.store.session;

import io.github.slotbloom.internal.store.HexBinding;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Statements that are executed again and again on one borrowed connection. Once a text is worth it,
 * the server prepares it, and parses it once. Not thread-safe.
 */
public final class RepeatedStatements implements AutoCloseable {

  /** Reads the row that a result is at. */
  @FunctionalInterface
  public interface Row {
    void read(ResultSet row) throws SQLException;
  }

  private static final Logger log = LoggerFactory.getLogger(RepeatedStatements.class);

  /** Preparing takes a round trip, so a few executions go without. */
  private static final int EXECUTIONS_BEFORE_PREPARING = 3;

  /**
   * The method of Connector/J that prepares on the server, whatever the URL says. Called by
   * reflection, since the library has no driver.
   */
  private static final String PREPARE_ON_SERVER = "serverPrepareStatement";

  private final Connection connection;
  private final Map<String, Integer> executions = new HashMap<>();
  private final Map<String, PreparedStatement> prepared = new HashMap<>();
  private boolean impossible;

  RepeatedStatements(Connection connection) {
    this.connection = connection;
  }

  /**
   * Executes a statement that returns no rows.
   *
   * @param values whole numbers, texts, truth values, and bytes for {@code unhex(?)}
   */
  public void execute(String sql, List<Object> values) throws SQLException {
    PreparedStatement onServer = onServer(sql);
    if (onServer != null) {
      execute(onServer, values);
      return;
    }
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      execute(statement, values);
    }
  }

  /**
   * Executes a query, and reads its rows.
   *
   * @param values as for {@link #execute}
   */
  public void query(String sql, List<Object> values, Row row) throws SQLException {
    PreparedStatement onServer = onServer(sql);
    if (onServer != null) {
      query(onServer, values, row);
      return;
    }
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      query(statement, values, row);
    }
  }

  private static void query(PreparedStatement statement, List<Object> values, Row row)
      throws SQLException {
    bind(statement, values);
    try (ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        row.read(rows);
      }
    }
  }

  /**
   * Executes by {@code executeUpdate}. Before other calls Connector/J asks the server whether the
   * session is read-only, unless its URL says otherwise.
   */
  private static void execute(PreparedStatement statement, List<Object> values)
      throws SQLException {
    bind(statement, values);
    statement.executeUpdate();
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

  private @Nullable PreparedStatement onServer(String sql) {
    PreparedStatement known = prepared.get(sql);
    if (known != null) {
      return known;
    }
    if (impossible || !isWorthPreparing(sql)) {
      return null;
    }
    PreparedStatement onServer = prepareOnServer(sql);
    if (onServer == null) {
      impossible = true;
    } else {
      prepared.put(sql, onServer);
    }
    return onServer;
  }

  private boolean isWorthPreparing(String sql) {
    return executions.merge(sql, 1, Integer::sum) > EXECUTIONS_BEFORE_PREPARING;
  }

  /** Returns null if the driver or the server does not prepare the statement. */
  private @Nullable PreparedStatement prepareOnServer(String sql) {
    try {
      Connection driver = connection.unwrap(Connection.class);
      Method prepare = driver.getClass().getMethod(PREPARE_ON_SERVER, String.class);
      return (PreparedStatement) prepare.invoke(driver, sql);
    } catch (NoSuchMethodException
        | IllegalAccessException
        | InvocationTargetException
        | SQLException e) {
      // If the connection is lost, the statement shows it when it is executed.
      log.debug("a statement is not prepared by the server", e);
      return null;
    }
  }

  /** Releases what the server prepared. Throws nothing: the work is done by now. */
  @Override
  public void close() {
    for (PreparedStatement statement : prepared.values()) {
      try {
        statement.close();
      } catch (SQLException e) {
        log.debug("a statement that the server prepared could not be released", e);
      }
    }
    prepared.clear();
  }
}
