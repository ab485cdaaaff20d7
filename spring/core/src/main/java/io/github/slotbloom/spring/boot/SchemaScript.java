package io.github.slotbloom.spring.boot;

import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.error.SchemaException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.support.EncodedResource;
import org.springframework.jdbc.datasource.init.ScriptException;
import org.springframework.jdbc.datasource.init.ScriptUtils;

/**
 * Makes the tables without Flyway, by the script of the library. It may be run again, also by
 * Flyway. A named lock of the server lets one process at a time run it.
 */
final class SchemaScript {

  /**
   * The schema is part of the name, since locks are the same for the whole server. A name has 64
   * characters at most, so the one of the schema is shortened.
   */
  static final String LOCK = "CONCAT('slotbloom ', LEFT(SHA2(DATABASE(), 256), 40))";

  private static final int SECONDS_TO_WAIT = 120;

  private final DataSource dataSource;

  SchemaScript(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /**
   * Runs the script, or waits until another process has ended that did.
   *
   * @return false if it waited; the tables should then be there
   */
  boolean run() {
    try (Connection connection = dataSource.getConnection()) {
      boolean before = connection.getAutoCommit();
      connection.setAutoCommit(true);
      try {
        return run(connection);
      } finally {
        connection.setAutoCommit(before);
      }
    } catch (SQLException | ScriptException e) {
      throw new SchemaException(
          ("Could not create the base tables and views: %s. Fix that and start again, which"
                  + " is safe, or have an operator run the SQL of SlotBloom.schemaSql() and set"
                  + " slotbloom.initialize-schema=never.")
              .formatted(e.getMessage()),
          e);
    }
  }

  private static boolean run(Connection connection) throws SQLException {
    boolean atOnce = lock(connection, 0);
    if (!atOnce && !lock(connection, SECONDS_TO_WAIT)) {
      throw new SQLException(
          "another process has held the lock for %s seconds".formatted(SECONDS_TO_WAIT));
    }
    try {
      if (atOnce) {
        ScriptUtils.executeSqlScript(connection, script());
      }
      return atOnce;
    } finally {
      ask(connection, "SELECT RELEASE_LOCK(" + LOCK + ")");
    }
  }

  private static boolean lock(Connection connection, int seconds) throws SQLException {
    return ask(connection, "SELECT GET_LOCK(%s, %s)".formatted(LOCK, seconds));
  }

  private static boolean ask(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      return row.next() && row.getBoolean(1);
    }
  }

  private static EncodedResource script() {
    return new EncodedResource(
        new ByteArrayResource(
            SlotBloom.schemaSql().getBytes(StandardCharsets.UTF_8), "SlotBloom.schemaSql()"),
        StandardCharsets.UTF_8);
  }
}
