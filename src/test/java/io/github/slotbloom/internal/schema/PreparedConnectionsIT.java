package io.github.slotbloom.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.platform.commons.support.ReflectionSupport;

/** Connections of a pool come back to it as they were, or not at all. */
@DatabaseContract
@Tag("mysql")
class PreparedConnectionsIT {

  private final HikariDataSource pool;

  PreparedConnectionsIT(TestSchema schema) {
    pool =
        schema.pool(
            settings -> {
              settings.setMaximumPoolSize(1);
              settings.setConnectionInitSql("SET SESSION sql_safe_updates = 1");
            });
  }

  private long safeUpdates() throws SQLException {
    return new Sql(pool).number("SELECT @@SESSION.sql_safe_updates");
  }

  @Test
  void theSettingsOfAConnectionAreRestored() throws SQLException {
    try (Connection connection =
        PreparedConnections.of(pool, Duration.ofSeconds(30)).getConnection()) {
      Sql.run(connection, "SET SESSION sql_select_limit = 3");
    }
    assertThat(safeUpdates()).isEqualTo(1);
  }

  /** Flyway sets no limit, and a pool may have one for the statements of its application. */
  @Test
  void aStatementMayTakeAsLongAsItTakes() throws SQLException {
    try (Connection connection = pool.getConnection()) {
      connection.setNetworkTimeout(Runnable::run, 5000);
      DataSource lending =
          proxy(DataSource.class, (self, method, arguments) -> leftOpen(connection));
      try (Connection prepared =
          PreparedConnections.of(lending, Duration.ofSeconds(30)).getConnection()) {
        assertThat(prepared.getNetworkTimeout()).isZero();
      }
      assertThat(connection.getNetworkTimeout()).isEqualTo(5000);
    }
  }

  private static Connection leftOpen(Connection connection) {
    return proxy(
        Connection.class,
        (self, method, arguments) ->
            method.getName().equals("close")
                ? null
                : ReflectionSupport.invokeMethod(method, connection, arguments));
  }

  @Test
  void aConnectionThatCannotBeRestoredIsNotUsedAgain() throws SQLException {
    AtomicBoolean refuses = new AtomicBoolean();
    DataSource refusing =
        proxy(
            DataSource.class,
            (self, method, arguments) -> {
              Object result = ReflectionSupport.invokeMethod(method, pool, arguments);
              return result instanceof Connection connection
                  ? refusingOnce(connection, refuses)
                  : result;
            });
    Connection connection =
        PreparedConnections.of(refusing, Duration.ofSeconds(30)).getConnection();
    refuses.set(true);
    assertThatThrownBy(connection::close).hasMessage("refused");
    assertThat(safeUpdates()).isEqualTo(1);
  }

  private static Connection refusingOnce(Connection connection, AtomicBoolean refuses) {
    return proxy(
        Connection.class,
        (self, method, arguments) -> {
          if (method.getName().equals("createStatement") && refuses.getAndSet(false)) {
            throw new SQLException("refused");
          }
          return ReflectionSupport.invokeMethod(method, connection, arguments);
        });
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            PreparedConnectionsIT.class.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
