package io.github.slotbloom.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Reads the session settings that an application may rely on. */
public final class SessionSettings {

  /** Some settings have different names on different servers. */
  private static final String QUERY =
      "SHOW SESSION VARIABLES WHERE Variable_name IN ('pseudo_thread_id', 'transaction_isolation',"
          + " 'tx_isolation', 'transaction_read_only', 'tx_read_only', 'autocommit', 'sql_mode',"
          + " 'sql_safe_updates', 'completion_type',"
          + " 'innodb_lock_wait_timeout', 'lock_wait_timeout', 'wait_timeout', 'time_zone',"
          + " 'max_execution_time', 'max_statement_time')";

  private SessionSettings() {}

  /** Returns each setting as name and value. The session is left as it was. */
  public static List<String> of(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      // These settings could cut off the list or refuse it.
      List<String> settings = new ArrayList<>();
      try (ResultSet limits =
          statement.executeQuery(
              "SELECT @@SESSION.sql_select_limit, @@SESSION.sql_big_selects LIMIT 1")) {
        limits.next();
        settings.add("sql_select_limit=" + limits.getString(1));
        settings.add("sql_big_selects=" + limits.getString(2));
      }
      statement.execute("SET sql_select_limit = DEFAULT, sql_big_selects = 1");
      try (ResultSet rows = statement.executeQuery(QUERY)) {
        while (rows.next()) {
          settings.add(rows.getString(1) + "=" + rows.getString(2));
        }
      }
      statement.execute("SET " + settings.get(0) + ", " + settings.get(1));
      assertThat(settings).hasSizeBetween(14, 18);
      return settings;
    }
  }
}
