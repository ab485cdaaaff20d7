package io.github.slotbloom;

import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import io.github.slotbloom.internal.store.session.ReplicationGroup;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLInvalidAuthorizationSpecException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * Connects to the primary among several servers, and follows it when it changes. Give it to a pool:
 *
 * <pre>{@code
 * HikariConfig config = new HikariConfig();
 * config.setDataSource(new PrimaryDataSource(List.of(server1, server2, server3)));
 * }</pre>
 *
 * <p>Each new connection is checked for the role of its server, in three or four statements. A
 * server that is read-only, or that is not the ONLINE primary of the majority of its group, is
 * left, and the next one is tried. Connections to a server that stops being the primary are not
 * noticed here: Slotbloom notices them when it uses them, and has the pool close them.
 *
 * <p>Without a group, the servers alone tell which of them is the primary: keep all others
 * read-only, also when they start. The user variable {@code @slotbloom_chosen} marks the sessions.
 *
 * <p>On a group, the session waits before it reads for all that the group has committed: its {@code
 * group_replication_consistency} is set to BEFORE, or to BEFORE_AND_AFTER if it was AFTER. The
 * account needs {@code SELECT} on {@code performance_schema.replication_group_members}; without it,
 * a server that was started outside of its group, and is writable, is mistaken for the primary.
 *
 * <p>Give each server's data source short limits for connecting and for reading, such as {@code
 * connectTimeout=2000} and {@code socketTimeout=2000} of Connector/J: a server that is frozen
 * accepts connections and never answers. A connection to the primary gets a limit of its own.
 * Thread-safe if the data sources are.
 */
public final class PrimaryDataSource implements DataSource {

  private static final String ACCOUNT_REFUSED = "28";

  /** It is missing, or the account has no right to it. */
  private static final Set<Integer> SCHEMA_REFUSED = Set.of(1049, 1044);

  private final List<DataSource> servers;

  private final int readMillis;

  /** The server that was the primary last. */
  private volatile int last;

  /**
   * Creates a data source of several servers. A statement on a connection to the primary may wait
   * 20 seconds for an answer.
   *
   * @param servers one data source for each server, in the order in which they are tried first
   * @throws InvalidParameterException if there is none
   */
  public PrimaryDataSource(List<? extends DataSource> servers) {
    this(servers, Duration.ofSeconds(20));
  }

  /**
   * Creates a data source of several servers.
   *
   * @param servers one data source for each server, in the order in which they are tried first
   * @param readTimeout how long a statement on a connection to the primary may wait for an answer,
   *     in whole milliseconds; zero for no limit. Slotbloom's own statements wait 20 seconds at
   *     most
   * @throws InvalidParameterException if there is no server, or the timeout is negative or more
   *     than 24 days
   */
  public PrimaryDataSource(List<? extends DataSource> servers, Duration readTimeout) {
    this.servers = List.copyOf(servers);
    if (servers.isEmpty()) {
      throw new InvalidParameterException(
          "There is no server to connect to. Pass one data source for each server.");
    }
    if (readTimeout.isNegative() || readTimeout.compareTo(Duration.ofDays(24)) > 0) {
      throw new InvalidParameterException(
          "A connection cannot wait %s for an answer. Use a duration from 0 to 24 days."
              .formatted(readTimeout));
    }
    readMillis = (int) readTimeout.toMillis();
  }

  /**
   * Tells whether a transaction that failed may succeed when it is repeated as a whole, on another
   * connection. It may if the connection was lost, if the server is not the primary anymore, or its
   * group has not settled, or if the transaction lost against another one.
   *
   * @param failure of a statement, or of connecting. If COMMIT failed, the transaction may have
   *     taken effect all the same
   * @return true if it may
   */
  public static boolean mayPass(SQLException failure) {
    return DatabaseFailure.of(failure).replayable();
  }

  /**
   * {@inheritDoc} Begins with the server that was the primary last.
   *
   * @throws SQLInvalidAuthorizationSpecException if no server can be connected to as the primary,
   *     and one of them refuses the account
   * @throws SQLSyntaxErrorException if all servers refuse the schema: it is missing, or the account
   *     has no right to it
   * @throws SQLTransientConnectionException if no server can be connected to as the primary for
   *     other reasons, such as a failover; the failures of all servers are suppressed exceptions
   */
  @Override
  public Connection getConnection() throws SQLException {
    return connect(DataSource::getConnection);
  }

  @Override
  public Connection getConnection(String username, String password) throws SQLException {
    return connect(server -> server.getConnection(username, password));
  }

  private Connection connect(Connecting connecting) throws SQLException {
    List<SQLException> failures = new ArrayList<>();
    int first = last;
    for (int i = 0; i < servers.size(); i++) {
      int number = (first + i) % servers.size();
      try {
        Connection connection = primary(connecting.to(servers.get(number)), number);
        last = number;
        return connection;
      } catch (SQLException e) {
        failures.add(e);
      }
    }
    throw noPrimary(failures);
  }

  private static SQLException noPrimary(List<SQLException> failures) {
    String reasons =
        failures.stream()
            .map(e -> String.valueOf(e.getMessage()).lines().findFirst().orElse(""))
            .distinct()
            .collect(Collectors.joining("; "));
    String message =
        "None of %s servers accepts a connection as the primary: %s"
            .formatted(failures.size(), reasons);
    SQLException failure =
        failures.stream()
            .filter(e -> e.getSQLState() != null && e.getSQLState().startsWith(ACCOUNT_REFUSED))
            .findFirst()
            .<SQLException>map(e -> new SQLInvalidAuthorizationSpecException(message, "28000", e))
            .orElseGet(() -> withoutRefusedAccount(message, failures));
    failures.forEach(failure::addSuppressed);
    return failure;
  }

  private static SQLException withoutRefusedAccount(String message, List<SQLException> failures) {
    SQLException first = failures.get(0);
    // A replica may lack a schema that the source is about to get.
    return failures.stream().allMatch(e -> SCHEMA_REFUSED.contains(e.getErrorCode()))
        ? new SQLSyntaxErrorException(message, first.getSQLState(), first.getErrorCode(), first)
        : new SQLTransientConnectionException(message, "08001");
  }

  /** Returns the connection, or closes it if it leads to another server than the primary. */
  private Connection primary(Connection connection, int number) throws SQLException {
    try {
      ReplicationGroup group = ReplicationGroup.of(connection);
      if (group.isWritablePrimary(connection)) {
        group.choose(connection);
        connection.setNetworkTimeout(Runnable::run, readMillis);
        return connection;
      }
    } catch (SQLException | RuntimeException | Error e) {
      close(connection, e);
      throw e;
    }
    SQLException secondary =
        new SQLTransientConnectionException(
            ("Server %s is not the primary: it is read-only, or not ONLINE in the majority of"
                    + " its group")
                .formatted(number + 1),
            "08004");
    close(connection, secondary);
    throw secondary;
  }

  private static void close(Connection connection, Throwable reason) {
    try {
      connection.close();
    } catch (SQLException e) {
      reason.addSuppressed(e);
    }
  }

  /** {@return the shortest login timeout of the servers, in seconds; 0 if none has one} */
  @Override
  public int getLoginTimeout() throws SQLException {
    int shortest = 0;
    for (DataSource server : servers) {
      int timeout = server.getLoginTimeout();
      if (timeout > 0 && (shortest == 0 || timeout < shortest)) {
        shortest = timeout;
      }
    }
    return shortest;
  }

  @Override
  public void setLoginTimeout(int seconds) throws SQLException {
    for (DataSource server : servers) {
      server.setLoginTimeout(seconds);
    }
  }

  /** {@return the writer of the first server} */
  @Override
  public PrintWriter getLogWriter() throws SQLException {
    return servers.get(0).getLogWriter();
  }

  @Override
  public void setLogWriter(PrintWriter out) throws SQLException {
    for (DataSource server : servers) {
      server.setLogWriter(out);
    }
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    return servers.get(0).getParentLogger();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    if (type.isInstance(this)) {
      return type.cast(this);
    }
    throw new SQLException(
        "This data source of %s servers cannot be unwrapped as %s"
            .formatted(servers.size(), type.getName()));
  }

  @Override
  public boolean isWrapperFor(Class<?> type) {
    return type.isInstance(this);
  }

  @FunctionalInterface
  private interface Connecting {
    Connection to(DataSource server) throws SQLException;
  }
}
