package io.github.slotbloom.testing;

import static org.awaitility.Awaitility.await;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.platform.commons.support.ReflectionSupport;

/** Wraps the data source of one process, and counts how often it read the database's clock. */
public final class Heartbeats {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** How the heartbeat names what it reads. */
  private static final String CLOCK = "clock_micros";

  /**
   * The answer of one is known when the next begins, and mirrors take it in with the tick that asks
   * for the one after that.
   */
  private static final int UNTIL_KNOWN = 3;

  private final AtomicLong begun = new AtomicLong();
  private final DataSource dataSource;

  public Heartbeats(DataSource real) {
    dataSource = wrap(DataSource.class, real);
  }

  public DataSource dataSource() {
    return dataSource;
  }

  /** Returns how many heartbeats began so far. */
  public long begun() {
    return begun.get();
  }

  /** Waits until the process knows what the clock says now, or later. */
  public void awaitKnown() {
    awaitKnownSince(begun());
  }

  /**
   * Waits until the process knows what the clock said after some heartbeats.
   *
   * @param before how many had begun when the clock was moved
   */
  public void awaitKnownSince(long before) {
    await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(5))
        .until(() -> begun.get() >= before + UNTIL_KNOWN);
  }

  private <T> T wrap(Class<T> type, T real) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              if (method.getName().equals("prepareStatement")
                  && ((String) arguments[0]).contains(CLOCK)) {
                begun.incrementAndGet();
              }
              Object result = ReflectionSupport.invokeMethod(method, real, arguments);
              return result instanceof Connection connection && type == DataSource.class
                  ? wrap(Connection.class, connection)
                  : result;
            }));
  }
}
