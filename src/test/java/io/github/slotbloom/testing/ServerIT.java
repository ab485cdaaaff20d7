package io.github.slotbloom.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

/** Tests what the library and its tests assume about every server. */
@DatabaseContract
class ServerIT {

  private static final long BIT_63 = 1L << 63;
  private static final int OUT_OF_RANGE = 1264;
  private static final int ACCESS_DENIED_TO_TABLE = 1142;

  private final TestDatabase database;
  private final TestSchema schema;

  ServerIT(TestDatabase database, TestSchema schema) {
    this.database = database;
    this.schema = schema;
  }

  @Test
  void bit63RoundTripsInAnUnsignedColumn() throws SQLException {
    try (Connection connection = schema.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE slots (bits BIGINT UNSIGNED NOT NULL)");
      insert(connection, "slots", BIT_63 | 1);
      statement.execute("UPDATE slots SET bits = bits | 2");
      try (ResultSet row = statement.executeQuery("SELECT bits, BIT_COUNT(bits) FROM slots")) {
        row.next();
        assertThat(Long.parseUnsignedLong(row.getString(1))).isEqualTo(BIT_63 | 3);
        assertThat(row.getInt(2)).isEqualTo(3);
      }
    }
  }

  @Test
  void aSignedColumnRefusesBit63() throws SQLException {
    try (Connection connection = schema.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE slots (bits BIGINT NOT NULL)");
      assertThatThrownBy(() -> insert(connection, "slots", BIT_63))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getErrorCode()).isEqualTo(OUT_OF_RANGE));
    }
  }

  @Test
  void serversThatTestsStartAreDurable() throws SQLException {
    assumeFalse(database.name().startsWith("url"), "the settings of a given server are its own");
    try (Connection connection = schema.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT @@log_bin, @@sync_binlog, @@innodb_flush_log_at_trx_commit")) {
      row.next();
      assertThat(row.getInt(1)).isEqualTo(1);
      assertThat(row.getInt(2)).isEqualTo(1);
      assertThat(row.getInt(3)).isEqualTo(1);
    }
  }

  @Test
  void anAccountHasOnlyThePrivilegesItWasGiven() throws SQLException {
    try (Connection connection = schema.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE slots (bits BIGINT UNSIGNED NOT NULL)");
    }
    TestAccount account = schema.createAccount("SELECT, INSERT");
    try (Connection connection = schema.dataSource(account).getConnection();
        Statement statement = connection.createStatement()) {
      insert(connection, "slots", 1);
      assertThatThrownBy(() -> statement.execute("DROP TABLE slots"))
          .isInstanceOfSatisfying(
              SQLException.class,
              e -> assertThat(e.getErrorCode()).isEqualTo(ACCESS_DENIED_TO_TABLE));
    }
  }

  @Test
  void aPoolHasTheSettingsOfTheTest() throws SQLException {
    HikariDataSource pool =
        schema.pool(
            settings -> {
              settings.setMaximumPoolSize(1);
              settings.setAutoCommit(false);
              settings.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
            });
    try (Connection connection = pool.getConnection()) {
      assertThat(connection.getAutoCommit()).isFalse();
      assertThat(connection.getTransactionIsolation())
          .isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
    }
  }

  @Test
  void aConnectionThatIsNotReturnedIsFound() throws SQLException {
    TestSchema another = database.createSchema();
    try (Connection kept = another.pool().getConnection()) {
      assertThat(kept.isValid(1)).isTrue();
      assertThatThrownBy(another::close).hasMessageContaining("Not given back: [1 connection");
    }
  }

  private static void insert(Connection connection, String table, long bits) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO " + table + " VALUES (?)")) {
      insert.setString(1, Long.toUnsignedString(bits));
      insert.executeUpdate();
    }
  }
}
