package io.github.slotbloom.schedule;

import io.github.slotbloom.schedule.World.Stop;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.platform.commons.support.ReflectionSupport;

/**
 * The sessions of all runs at one server. Those of the processes stop before each statement; they
 * outlive the process, unless they are cut.
 */
final class Sessions implements AutoCloseable {

  private static final Pattern WAITER =
      Pattern.compile("LOCK WAIT(?:(?!---TRANSACTION).)*? thread id (\\d+)", Pattern.DOTALL);

  private static final Pattern WRITES =
      Pattern.compile(
          "(set statement .* for )?(insert|update|delete|replace)", Pattern.CASE_INSENSITIVE);

  /** What the server says of a session that commits each statement. */
  private static final int AUTOCOMMIT = 2;

  private static final int UNKNOWN_SESSION = 1094;

  /** One session of a process, with the time that the server goes by in it. */
  private static final class Session {
    private final Connection connection;
    private final long id;
    private final World world;
    private final int process;
    private volatile boolean cut;

    /** Its client gave it up, and what was sent last is on the way. */
    private volatile boolean late;

    private long millis;

    Session(Connection connection, long id, World world, int process) {
      this.connection = connection;
      this.id = id;
      this.world = world;
      this.process = process;
    }
  }

  private final DataSource real;
  private final Connection control;
  private final Deque<Connection> idle = new ArrayDeque<>();
  private final List<Session> used = new CopyOnWriteArrayList<>();

  /**
   * Connects.
   *
   * @param real where the processes get their sessions from
   * @param control leads to the server without a detour
   */
  Sessions(DataSource real, DataSource control) throws SQLException {
    this.real = real;
    this.control = control.getConnection();
  }

  /** Returns the pool of a process. */
  DataSource of(World world, int process) {
    return (DataSource)
        Proxy.newProxyInstance(
            Sessions.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) ->
                method.getName().equals("getConnection")
                    ? borrow(world, process)
                    : ReflectionSupport.invokeMethod(method, real, arguments));
  }

  private Connection borrow(World world, int process) throws SQLException {
    if (world.isKilled(process)) {
      throw broken();
    }
    Connection connection;
    synchronized (idle) {
      connection = idle.poll();
    }
    if (connection == null) {
      connection = real.getConnection();
    }
    Session session = new Session(connection, idOf(connection), world, process);
    used.add(session);
    return (Connection)
        Proxy.newProxyInstance(
            Sessions.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> onConnection(session, method, arguments));
  }

  private static long idOf(Connection connection) throws SQLException {
    return connection.unwrap(com.mysql.cj.jdbc.JdbcConnection.class).getId();
  }

  private @Nullable Object onConnection(Session session, Method method, Object[] arguments)
      throws Exception {
    Connection connection = session.connection;
    if (session.late) {
      return onBroken(method.getName());
    }
    return switch (method.getName()) {
      case "close" -> giveBack(session);
      case "commit", "rollback" ->
          send(
              session,
              method.getName().toUpperCase(java.util.Locale.ROOT),
              () -> call(method, connection, arguments));
      case "createStatement" ->
          statement(Statement.class, session, "", call(method, connection, arguments));
      case "prepareStatement" ->
          statement(
              PreparedStatement.class,
              session,
              (String) arguments[0],
              call(method, connection, arguments));
      default -> call(method, connection, arguments);
    };
  }

  /** The client has no way to the server, which has the session until the last statement came. */
  private static @Nullable Object onBroken(String method) throws SQLException {
    return switch (method) {
      case "close", "abort" -> null;
      case "isClosed" -> true;
      case "isValid" -> false;
      default -> throw broken();
    };
  }

  private Object statement(Class<?> type, Session session, String prepared, Object real) {
    return Proxy.newProxyInstance(
        Sessions.class.getClassLoader(),
        new Class<?>[] {type},
        (proxy, method, arguments) -> {
          if (session.late && method.getName().equals("close")) {
            return null;
          }
          if (!method.getName().startsWith("execute")) {
            return call(method, real, arguments);
          }
          String sql = arguments != null && arguments.length > 0 ? (String) arguments[0] : prepared;
          return send(session, sql, () -> call(method, real, arguments));
        });
  }

  private static @Nullable Object call(Method method, Object target, Object[] arguments) {
    return ReflectionSupport.invokeMethod(method, target, arguments);
  }

  private interface Sent {
    @Nullable Object send() throws Exception;
  }

  private @Nullable Object send(Session session, String sql, Sent sent) throws Exception {
    // Nobody else notices a setting of a session.
    if (sql.startsWith("SET ") && !sql.startsWith("SET STATEMENT")) {
      requireWhole(session);
      return sent.send();
    }
    World world = session.world;
    World.Answer told = world.stop(commits(session, sql) ? Stop.COMMIT : Stop.STATEMENT, sql);
    requireWhole(session);
    if (told == World.Answer.ARRIVES_LATE) {
      session.late = true;
      session.cut = true;
      world.begin(
          session.process,
          Stop.LATE_ARRIVAL,
          "(nobody hears of it) " + sql,
          () -> arrive(session, sent));
      throw broken();
    }
    Object answer = atServer(session, sent);
    switch (told) {
      case IN_TIME, ARRIVES_LATE -> {}
      case LATE -> {
        var unused = world.stop(Stop.LATE_ANSWER, "hears of " + sql);
      }
      case LOST -> end(session);
    }
    requireWhole(session);
    return answer;
  }

  private @Nullable Object atServer(Session session, Sent sent) throws Exception {
    setClock(session);
    session.world.sent(session.id);
    try {
      return sent.send();
    } finally {
      session.world.answered();
    }
  }

  /** Lets the server get what was sent on a connection that its client gave up. */
  private void arrive(Session session, Sent sent) {
    try {
      atServer(session, sent);
    } catch (Exception e) {
      // The server refused it, which nobody hears either.
    }
    try {
      end(session);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean commits(Session session, String sql) throws SQLException {
    if (sql.equals("COMMIT")) {
      return true;
    }
    int flags =
        session
            .connection
            .unwrap(com.mysql.cj.jdbc.JdbcConnection.class)
            .getSession()
            .getServerSession()
            .getStatusFlags();
    return (flags & AUTOCOMMIT) != 0 && WRITES.matcher(sql).lookingAt();
  }

  private void setClock(Session session) throws SQLException {
    long now = session.world.wallMillis();
    if (session.millis != now) {
      session.millis = now;
      try (Statement statement = session.connection.createStatement()) {
        statement.execute("SET timestamp = " + now / 1000 + "." + "%03d".formatted(now % 1000));
      }
    }
  }

  private static void requireWhole(Session session) throws SQLException {
    if (session.cut) {
      throw broken();
    }
  }

  private static SQLException broken() {
    return new SQLNonTransientConnectionException("cut by the schedule", "08S01");
  }

  private @Nullable Object giveBack(Session session) throws SQLException {
    if (session.world.isKilled(session.process)) {
      // Its thread is only unwound, and the session is about to be cut.
      return null;
    }
    if (used.remove(session) && !session.cut) {
      if (session.connection.isClosed()) {
        return null;
      }
      if (!session.connection.getAutoCommit()) {
        session.connection.rollback();
        session.connection.setAutoCommit(true);
      }
      synchronized (idle) {
        idle.push(session.connection);
      }
    }
    return null;
  }

  /** Ends the sessions of a process, or all, as their server sees it. */
  void cut(int... processes) throws SQLException {
    for (Session session : used) {
      if (Arrays.stream(processes).anyMatch(process -> process == session.process)) {
        end(session);
      }
    }
  }

  private synchronized void end(Session session) throws SQLException {
    session.cut = true;
    try (Statement statement = control.createStatement()) {
      kill(statement, session.id);
      // It is rolled back before it leaves the list.
      String left = "SELECT COUNT(*) FROM information_schema.processlist WHERE id = " + session.id;
      while (true) {
        try (ResultSet row = statement.executeQuery(left)) {
          row.next();
          if (row.getInt(1) == 0) {
            break;
          }
        }
        Thread.onSpinWait();
      }
    }
    session.connection.abort(Runnable::run);
  }

  private static void kill(Statement statement, long session) throws SQLException {
    try {
      statement.execute("KILL " + session);
    } catch (SQLException e) {
      // Whoever used it may have ended it.
      if (e.getErrorCode() != UNKNOWN_SESSION) {
        throw e;
      }
    }
  }

  /** Ends what is still used, so that nothing of a run goes on. */
  void endAll() throws SQLException {
    for (Session session : used) {
      if (!session.cut || session.late) {
        end(session);
      }
    }
    used.clear();
  }

  /** Returns the sessions that wait for a lock of a row or of a table. */
  synchronized Set<Long> waiting() throws SQLException {
    Set<Long> waiting = new HashSet<>();
    try (Statement statement = control.createStatement()) {
      try (ResultSet row = statement.executeQuery("SHOW ENGINE INNODB STATUS")) {
        row.next();
        Matcher waiter = WAITER.matcher(row.getString("Status"));
        while (waiter.find()) {
          waiting.add(Long.parseLong(waiter.group(1)));
        }
      }
      try (ResultSet row =
          statement.executeQuery(
              "SELECT id FROM information_schema.processlist"
                  + " WHERE state LIKE 'Waiting for%lock' OR state = 'User lock'")) {
        while (row.next()) {
          waiting.add(row.getLong(1));
        }
      }
    }
    return waiting;
  }

  @Override
  public void close() throws SQLException {
    endAll();
    for (Connection connection : idle) {
      connection.close();
    }
    control.close();
  }
}
