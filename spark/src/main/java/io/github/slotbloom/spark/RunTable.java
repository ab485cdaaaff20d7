package io.github.slotbloom.spark;

import io.github.slotbloom.error.InvalidParameterException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * The table {@code bloom_spark_chunk}, in the schema of the filters, in which {@link
 * SparkFilters#filterNew} records its answers: one row for each transaction, with one bit a key and
 * about 100 bytes more. A run of a billion keys takes some 150 MB of it.
 *
 * <p>The rows of a run must stay for as long as its Dataset may be evaluated again, by a task that
 * is tried again or by a further action. Nothing deletes them automatically: call {@link #forget}
 * or {@link #forgetOlderThan}, for instance at the beginning of a daily job.
 */
public final class RunTable {

  private static final String SQL =
      """
      CREATE TABLE IF NOT EXISTS bloom_spark_chunk (
        filter VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        run VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
        part INT NOT NULL,
        chunk INT NOT NULL,
        format TINYINT NOT NULL,
        digest BINARY(32) NOT NULL,
        answers VARBINARY(4096) NOT NULL,
        made_at DATETIME(3) NOT NULL,
        PRIMARY KEY (filter, run, part, chunk)
      ) ENGINE = InnoDB
      """;

  /** Few enough that nothing waits long for their locks. */
  private static final int ROWS_AT_ONCE = 1000;

  private RunTable() {}

  /**
   * {@return the statement that {@link #create} runs, for an operator or a migration of your own}
   */
  public static String sql() {
    return SQL;
  }

  /**
   * Creates the table, unless it exists. Needs the privilege CREATE.
   *
   * @param dataSource leads to the schema of the filters
   * @throws SQLException if it cannot be created
   */
  public static void create(DataSource dataSource) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(SQL);
    }
  }

  /**
   * Deletes the answers of one run. Nothing may evaluate its Dataset anymore: its keys would count
   * as seen.
   *
   * @param dataSource leads to the schema of the filters
   * @param filter the name of the filter
   * @param run the id of the run
   * @return the number of transactions that were forgotten; 0 if there is no such run
   * @throws SQLException if the database cannot do it; what was deleted stays deleted
   */
  public static int forget(DataSource dataSource, String filter, String run) throws SQLException {
    int forgotten = 0;
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(true);
      try (PreparedStatement delete =
          connection.prepareStatement(
              "DELETE FROM bloom_spark_chunk WHERE filter = ? AND run = ? LIMIT " + ROWS_AT_ONCE)) {
        delete.setString(1, filter);
        delete.setString(2, run);
        int deleted;
        do {
          deleted = delete.executeUpdate();
          forgotten += deleted;
        } while (deleted == ROWS_AT_ONCE);
      }
    }
    return forgotten;
  }

  /**
   * Deletes the answers of all runs that recorded nothing for a while, as {@link #forget} does.
   *
   * @param dataSource leads to the schema of the filters
   * @param age since the last transaction of a run, by the database clock; longer than any
   *     application with such a Dataset lives
   * @return the number of transactions that were forgotten
   * @throws SQLException if the database cannot do it; what was deleted stays deleted
   * @throws InvalidParameterException if the age is negative
   */
  public static int forgetOlderThan(DataSource dataSource, Duration age) throws SQLException {
    if (age.isNegative()) {
      throw new InvalidParameterException("The age is " + age + ". Use 0 or more.");
    }
    int forgotten = 0;
    for (String[] old : old(dataSource, age)) {
      forgotten += forget(dataSource, old[0], old[1]);
    }
    return forgotten;
  }

  private static List<String[]> old(DataSource dataSource, Duration age) throws SQLException {
    List<String[]> runs = new ArrayList<>();
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(true);
      try (PreparedStatement query =
          connection.prepareStatement(
              "SELECT filter, run FROM bloom_spark_chunk GROUP BY filter, run"
                  + " HAVING MAX(made_at) < UTC_TIMESTAMP(3) - INTERVAL ? SECOND")) {
        query.setLong(1, age.toSeconds());
        try (ResultSet rows = query.executeQuery()) {
          while (rows.next()) {
            runs.add(new String[] {rows.getString(1), rows.getString(2)});
          }
        }
      }
    }
    return runs;
  }
}
