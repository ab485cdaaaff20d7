package io.github.slotbloom.testing;

import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.platform.commons.support.ReflectionSupport;

/**
 * Connections whose sessions have a clock of their own, which stands still until a test moves it. A
 * session has the time of the moment at which it was borrowed.
 */
public final class ClockedConnections {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final HikariDataSource real;
  private final AtomicReference<Instant> now;

  /**
   * Creates connections.
   *
   * @param now what the clock says first; if it is ahead of the machine's, no bucket begins
   */
  public ClockedConnections(HikariDataSource real, Instant now) {
    this.real = real;
    this.now = new AtomicReference<>(now);
  }

  public Instant now() {
    return now.get();
  }

  /** Moves the clock, as {@link #set} does. */
  public void advance(Duration by) {
    set(now().plus(by));
  }

  /** Moves the clock of sessions that are borrowed from now on. Those in use keep their time. */
  public void setForLater(Instant to) {
    now.set(to);
  }

  /** Moves the clock, and waits until no session is in use that has the time of before. */
  public void set(Instant to) {
    now.set(to);
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(1))
        .until(() -> real.getHikariPoolMXBean().getActiveConnections() == 0);
  }

  public DataSource dataSource() {
    return (DataSource)
        Proxy.newProxyInstance(
            DataSource.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, arguments) -> {
              Object result = ReflectionSupport.invokeMethod(method, real, arguments);
              if (result instanceof Connection connection) {
                setClock(connection);
              }
              return result;
            });
  }

  /** Gives a session the time that the clock has now, between two transactions. */
  public void setClock(Connection connection) throws SQLException {
    moveClock(connection);
    if (!connection.getAutoCommit()) {
      connection.rollback();
    }
  }

  /** Gives a session the time that the clock has now, and leaves its transaction alone. */
  public void moveClock(Connection connection) throws SQLException {
    Instant at = now();
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "SET SESSION timestamp = "
              + at.getEpochSecond()
              + ".%06d".formatted(at.getNano() / 1000));
    }
  }
}
