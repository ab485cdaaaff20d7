package io.github.slotbloom.sharding;

import java.io.PrintWriter;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.apache.shardingsphere.driver.jdbc.core.connection.ShardingSphereConnection;
import org.apache.shardingsphere.infra.executor.sql.execute.engine.ConnectionMode;
import org.jspecify.annotations.Nullable;

/**
 * Connections through a ShardingSphere data source to one of its servers, each with one session of
 * that server from its beginning to its end. Thread-safe, as the ShardingSphere data source is.
 *
 * <p>ShardingSphere by itself may run each statement in another session. It also knows no way to
 * abort a connection, and ignores limits for the network. So statements go through it, with a hint
 * that names the server; all else goes to the connection of that server, and so do the few kinds of
 * statements that ShardingSphere cannot take.
 */
public final class ServerDataSource implements DataSource {

  /** The statements that ShardingSphere cannot handle, and that bypass it. */
  private static final List<Pattern> NOT_TAKEN =
      List.of(
          // It does not bind parameters inside a subquery among the values.
          startingWith("insert into .* values .*\\(select .*\\?.*\\)"),
          // Its parser fails at collations of columns, and it would list each table.
          startingWith("(create|alter|rename|drop) "),
          // It has no parser of its own for MariaDB, and that of MySQL does not know these.
          startingWith(".* fetch next .* rows only"),
          startingWith("set statement "));

  private final DataSource shardingSphere;
  private final String server;
  private final String hint;

  /**
   * Creates a data source.
   *
   * @param shardingSphere a ShardingSphere data source, or a pool of its connections
   * @param server what ShardingSphere calls the data source of the server, such as {@code ds_0}
   */
  public ServerDataSource(DataSource shardingSphere, String server) {
    this.shardingSphere = shardingSphere;
    this.server = server;
    // Tables that another process made are not in ShardingSphere's own list of tables.
    hint =
        "/* SHARDINGSPHERE_HINT: DATA_SOURCE_NAME="
            + server
            + ", SKIP_SQL_REWRITE=true, SKIP_METADATA_VALIDATE=true */ ";
  }

  @Override
  public Connection getConnection() throws SQLException {
    return connect(shardingSphere.getConnection());
  }

  @Override
  public Connection getConnection(String username, String password) throws SQLException {
    return connect(shardingSphere.getConnection(username, password));
  }

  private Connection connect(Connection logical) throws SQLException {
    try {
      // Otherwise ShardingSphere gives the session back after each statement.
      logical.setAutoCommit(false);
      Connection session = session(logical);
      session.setAutoCommit(true);
      return hinted(logical, session);
    } catch (SQLException | RuntimeException | Error e) {
      try (logical) {
        throw e;
      }
    }
  }

  /** Returns the connection that ShardingSphere uses for our statements until the end. */
  private Connection session(Connection logical) throws SQLException {
    ShardingSphereConnection connection = logical.unwrap(ShardingSphereConnection.class);
    Set<String> known =
        connection
            .getContextManager()
            .getStorageUnits(connection.getCurrentDatabaseName())
            .keySet();
    if (!known.contains(server)) {
      throw new SQLException(
          "ShardingSphere has no data source %s. It has %s.".formatted(server, known));
    }
    return connection
        .getDatabaseConnectionManager()
        .getConnections(
            connection.getCurrentDatabaseName(), server, 0, 1, ConnectionMode.MEMORY_STRICTLY)
        .get(0);
  }

  /**
   * Returns a connection whose statements run on the server, in the transaction of another one.
   *
   * @param transaction a connection of ShardingSphere in a transaction that its caller began
   */
  public Connection within(Connection transaction) throws SQLException {
    return hinted(transaction, session(transaction));
  }

  private Connection hinted(Connection logical, Connection session) {
    return proxy(
        Connection.class,
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "prepareStatement" -> {
                String sql = (String) arguments[0];
                if (isNotTaken(sql)) {
                  yield call(session, method, arguments);
                }
                arguments[0] = hint + sql;
                yield prepared(call(logical, method, arguments));
              }
              case "createStatement" ->
                  unprepared(
                      (Statement) call(logical, method, arguments),
                      (Statement) call(session, method, arguments));
              case "close" -> call(logical, method, arguments);
              case "isClosed" -> logical.isClosed() || session.isClosed();
              default -> call(session, method, arguments);
            });
  }

  private static Pattern startingWith(String regex) {
    String comments = "^(?:\\s|--[^\\n]*\\n)*+";
    return Pattern.compile(comments + regex, Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
  }

  private static boolean isNotTaken(String sql) {
    return NOT_TAKEN.stream().anyMatch(pattern -> pattern.matcher(sql).find());
  }

  private static PreparedStatement prepared(Object statement) {
    return proxy(
        PreparedStatement.class, (proxy, method, arguments) -> call(statement, method, arguments));
  }

  /** Returns a statement that runs each text by one of two, and then answers as that one. */
  private Statement unprepared(Statement through, Statement past) {
    AtomicReference<Statement> last = new AtomicReference<>(through);
    return proxy(
        Statement.class,
        (proxy, method, arguments) -> {
          String name = method.getName();
          if (name.equals("close") || name.startsWith("set")) {
            call(past, method, arguments);
            return call(through, method, arguments);
          }
          if (name.startsWith("execute") || name.equals("addBatch")) {
            last.set(through);
            if (arguments != null) {
              String sql = (String) arguments[0];
              if (isNotTaken(sql) && !name.equals("addBatch")) {
                last.set(past);
              } else {
                arguments[0] = hint + sql;
              }
            }
          }
          return call(Objects.requireNonNull(last.get()), method, arguments);
        });
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            ServerDataSource.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static Object call(Object target, Method method, @Nullable Object @Nullable [] arguments)
      throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      // ShardingSphere throws such where it does not understand a statement.
      if (e.getCause() instanceof RuntimeException failure) {
        throw new SQLException("ShardingSphere failed: " + failure, "HY000", failure);
      }
      throw e.getCause();
    }
  }

  @Override
  public int getLoginTimeout() throws SQLException {
    return shardingSphere.getLoginTimeout();
  }

  @Override
  public void setLoginTimeout(int seconds) throws SQLException {
    shardingSphere.setLoginTimeout(seconds);
  }

  @Override
  public PrintWriter getLogWriter() throws SQLException {
    return shardingSphere.getLogWriter();
  }

  @Override
  public void setLogWriter(PrintWriter out) throws SQLException {
    shardingSphere.setLogWriter(out);
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    return shardingSphere.getParentLogger();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return type.isInstance(this) ? type.cast(this) : shardingSphere.unwrap(type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) throws SQLException {
    return type.isInstance(this) || shardingSphere.isWrapperFor(type);
  }
}
