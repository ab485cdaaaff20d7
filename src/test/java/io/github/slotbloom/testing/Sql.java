package io.github.slotbloom.testing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** Runs SQL on the tables for a test. */
public final class Sql {

  private final DataSource dataSource;

  public Sql(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /** Runs a statement and returns the number of changed rows. */
  public int run(String sql, Object... values) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      return run(connection, sql, values);
    }
  }

  /** Runs statements that each end with a semicolon at the end of a line. */
  public void runScript(String script) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements(script)) {
        statement.execute(sql);
      }
    }
  }

  static List<String> statements(String script) {
    return Stream.of(script.split(";\\s*(\n|$)")).filter(sql -> !sql.isBlank()).toList();
  }

  /** Runs a statement on the test's own connection. */
  public static int run(Connection connection, String sql, Object... values) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, values);
      statement.execute();
      return statement.getUpdateCount();
    }
  }

  /** Returns the first column of the first row. */
  public String text(String sql, Object... values) throws SQLException {
    return texts(sql, values).get(0);
  }

  /** Returns the first column of the first row, which may be an unsigned number. */
  public long number(String sql, Object... values) throws SQLException {
    String text = text(sql, values);
    return text.startsWith("-") ? Long.parseLong(text) : Long.parseUnsignedLong(text);
  }

  /** Returns the first column of all rows. */
  /** Returns the name that the slot table of a generation has, whether or not it is there. */
  public String slots(String filter, int generation) throws SQLException {
    return text(
        "SELECT CONCAT('bloom_bits_', id, '_', label, '_v', ?) FROM bloom_filter WHERE name = ?",
        generation,
        filter);
  }

  /** Returns the name that the table of the removed hashes of a filter has. */
  public String removed(String filter) throws SQLException {
    return text(
        "SELECT CONCAT('bloom_removed_', id, '_', label) FROM bloom_filter WHERE name = ?", filter);
  }

  /** Returns the name that the stored function of a filter has. */
  public String function(String filter) throws SQLException {
    return text(
        "SELECT CONCAT('bloom_', id, '_', label, '_might_contain') FROM bloom_filter"
            + " WHERE name = ?",
        filter);
  }

  public List<String> texts(String sql, Object... values) throws SQLException {
    return rows(sql, values).stream().map(row -> row.get(0)).toList();
  }

  /** Returns all columns of all rows. */
  public List<List<String>> rows(String sql, Object... values) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      return read(connection, sql, Sql::columns, values);
    }
  }

  private static List<String> columns(ResultSet row) throws SQLException {
    List<String> columns = new ArrayList<>();
    for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
      columns.add(String.valueOf(row.getString(i)));
    }
    return columns;
  }

  /** Makes something of a row. */
  public interface Reader<T> {
    T read(ResultSet row) throws SQLException;
  }

  /** Returns what is made of each row, in the connection's transaction. */
  public static <T> List<T> read(
      Connection connection, String sql, Reader<T> reader, Object... values) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, values);
      List<T> made = new ArrayList<>();
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          made.add(reader.read(row));
        }
      }
      return made;
    }
  }

  private static void bind(PreparedStatement statement, Object... values) throws SQLException {
    for (int i = 0; i < values.length; i++) {
      statement.setObject(i + 1, values[i]);
    }
  }
}
