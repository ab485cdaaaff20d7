package io.github.slotbloom.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.TestSchema;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the server prepares stays with the physical connection. */
@DatabaseContract
@Tag("mysql")
class RepeatedStatementsIT {

  private static final String SUM = "select ? + ?";

  @Fixture private static TestSchema schema;

  @Test
  void aTextIsPreparedOnceHoweverOftenTheConnectionIsLent() throws Exception {
    try (Connection connection = schema.dataSource().getConnection()) {
      for (long i = 1; i <= 20; i++) {
        assertThat(sum(connection, i)).isEqualTo(i + 1);
      }
      assertThat(count(connection, "Com_stmt_prepare")).isEqualTo(1);
      assertThat(count(connection, "Com_stmt_execute")).isEqualTo(17);
      assertThat(count(connection, "Com_stmt_close")).isZero();
    }
  }

  @Test
  void aSessionThatWasResetIsAskedAgain() throws Exception {
    try (Connection connection = schema.dataSource().getConnection()) {
      IntStream.rangeClosed(1, 5).forEach(i -> sum(connection, i));
      Connection driver = connection.unwrap(Connection.class);
      driver.getClass().getMethod("resetServerState").invoke(driver);
      for (long i = 1; i <= 5; i++) {
        assertThat(sum(connection, i)).isEqualTo(i + 1);
      }
    }
  }

  /** The server keeps a bounded number of statements for all of its connections. */
  @Test
  void fewTextsArePrepared() throws Exception {
    try (Connection connection = schema.dataSource().getConnection()) {
      for (int text = 0; text < 30; text++) {
        String sql = "select ? + " + text;
        for (long i = 1; i <= 5; i++) {
          assertThat(one(connection, sql, List.of(i))).isEqualTo(i + text);
        }
      }
      assertThat(count(connection, "Com_stmt_prepare")).isEqualTo(8);
    }
  }

  /** As on a loan of its own. */
  private static long sum(Connection connection, long number) {
    return one(connection, SUM, List.of(number, 1L));
  }

  private static long one(Connection connection, String sql, List<Object> values) {
    try {
      return new RepeatedStatements(connection).queryOne(sql, values, row -> row.getLong(1));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static long count(Connection connection, String what) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SHOW SESSION STATUS LIKE '" + what + "'")) {
      row.next();
      return row.getLong(2);
    }
  }
}
