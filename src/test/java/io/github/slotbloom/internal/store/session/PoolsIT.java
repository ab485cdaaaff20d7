package io.github.slotbloom.internal.store.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.alibaba.druid.pool.DruidDataSource;
import com.mchange.v2.c3p0.ComboPooledDataSource;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.agroal.api.AgroalDataSource;
import io.agroal.api.configuration.supplier.AgroalDataSourceConfigurationSupplier;
import io.agroal.api.exceptionsorter.MySQLExceptionSorter;
import io.agroal.api.security.NamePrincipal;
import io.agroal.api.security.SimplePassword;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.PossibleLog;
import io.github.slotbloom.testing.Sql;
import io.github.slotbloom.testing.TestSchema;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.apache.commons.dbcp2.BasicDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.vibur.dbcp.ViburDBCPDataSource;

/** Pools of other makers, each with two places, get along with connections that are discarded. */
@DatabaseContract
@Tag("mysql")
@PossibleLog("DruidDataSource - \\{conn-\\d+\\} discard")
@PossibleLog("DruidPooledStatement - CommunicationsException")
@PossibleLog("PoolOperations - Critical SQLState 08S01")
class PoolsIT {

  private static final int PLACES = 2;

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final int PATIENCE_MILLIS = (int) PATIENCE.toMillis();

  @Fixture private static TestSchema schema;
  @Fixture private static Sql sql;

  /** None of them tests connections on its own. */
  enum Pool {
    HIKARI(
        schema -> {
          HikariConfig config = new HikariConfig();
          config.setJdbcUrl(schema.url());
          config.setUsername(schema.owner().user());
          config.setPassword(schema.owner().password());
          config.setMaximumPoolSize(PLACES);
          config.setConnectionTimeout(PATIENCE_MILLIS);
          return new HikariDataSource(config);
        }),
    AGROAL(
        schema -> {
          return AgroalDataSource.from(
              new AgroalDataSourceConfigurationSupplier()
                  .connectionPoolConfiguration(
                      pool ->
                          pool.maxSize(PLACES)
                              .acquisitionTimeout(PATIENCE)
                              .exceptionSorter(new MySQLExceptionSorter())
                              .connectionFactoryConfiguration(
                                  factory ->
                                      factory
                                          .jdbcUrl(schema.url())
                                          .principal(new NamePrincipal(schema.owner().user()))
                                          .credential(
                                              new SimplePassword(schema.owner().password())))));
        }),
    TOMCAT(
        schema -> {
          var pool = new org.apache.tomcat.jdbc.pool.DataSource();
          pool.setDriverClassName("com.mysql.cj.jdbc.Driver");
          pool.setUrl(schema.url());
          pool.setUsername(schema.owner().user());
          pool.setPassword(schema.owner().password());
          pool.setMaxActive(PLACES);
          pool.setMaxWait(PATIENCE_MILLIS);
          return pool;
        }),
    DBCP2(
        schema -> {
          BasicDataSource pool = new BasicDataSource();
          pool.setUrl(schema.url());
          pool.setUsername(schema.owner().user());
          pool.setPassword(schema.owner().password());
          pool.setMaxTotal(PLACES);
          pool.setMaxWait(PATIENCE);
          return pool;
        }),
    C3P0(
        schema -> {
          ComboPooledDataSource pool = new ComboPooledDataSource();
          pool.setJdbcUrl(schema.url());
          pool.setUser(schema.owner().user());
          pool.setPassword(schema.owner().password());
          pool.setInitialPoolSize(1);
          pool.setMinPoolSize(1);
          pool.setMaxPoolSize(PLACES);
          pool.setCheckoutTimeout(PATIENCE_MILLIS);
          return pool;
        }),
    VIBUR(
        schema -> {
          ViburDBCPDataSource pool = new ViburDBCPDataSource();
          pool.setJdbcUrl(schema.url());
          pool.setUsername(schema.owner().user());
          pool.setPassword(schema.owner().password());
          pool.setPoolInitialSize(1);
          pool.setPoolMaxSize(PLACES);
          pool.setConnectionTimeoutInMs(PATIENCE_MILLIS);
          pool.start();
          return pool;
        }),
    DRUID(
        schema -> {
          DruidDataSource pool = new DruidDataSource();
          pool.setUrl(schema.url());
          pool.setUsername(schema.owner().user());
          pool.setPassword(schema.owner().password());
          pool.setMaxActive(PLACES);
          pool.setMaxWait(PATIENCE_MILLIS);
          return pool;
        });

    private interface Maker {
      DataSource of(TestSchema schema) throws SQLException;
    }

    private final Maker maker;

    Pool(Maker maker) {
      this.maker = maker;
    }
  }

  @ParameterizedTest
  @EnumSource
  void aDiscardedConnectionIsNeitherLentAgainNorMissed(Pool kind) throws Exception {
    DataSource pool = kind.maker.of(schema);
    try {
      List<Long> ended = new ArrayList<>();
      for (int i = 0; i < 2 * PLACES; i++) {
        try (Loan loan = Loan.from(pool)) {
          ended.add(session(loan.connection()));
          loan.discard(new SQLException("It cannot be trusted."));
        }
        try (Loan loan = Loan.from(pool)) {
          long killed = session(loan.connection());
          ended.add(killed);
          sql.run("KILL " + killed);
          await().untilAsserted(() -> assertThat(sessions()).doesNotContain(killed));
          assertThatThrownBy(() -> loan.run(PoolsIT::session)).isInstanceOf(DatabaseFailure.class);
        }
      }
      assertThat(ended).doesNotHaveDuplicates();
      await().untilAsserted(() -> assertThat(sessions()).doesNotContainAnyElementsOf(ended));
      try (Connection one = pool.getConnection();
          Connection other = pool.getConnection()) {
        assertThat(List.of(session(one), session(other)))
            .doesNotHaveDuplicates()
            .doesNotContainAnyElementsOf(ended);
      }
    } finally {
      close(pool);
    }
  }

  private static void close(DataSource pool) throws Exception {
    if (pool instanceof AutoCloseable closeable) {
      closeable.close();
    } else {
      ((org.apache.tomcat.jdbc.pool.DataSource) pool).close();
    }
  }

  private static long session(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT CONNECTION_ID()")) {
      row.next();
      return row.getLong(1);
    }
  }

  private static List<Long> sessions() throws SQLException {
    return sql.texts("SELECT id FROM information_schema.processlist").stream()
        .map(Long::valueOf)
        .toList();
  }
}
