package io.github.slotbloom.internal.store.session;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Asks a session that has no our settings yet, whatever limits the application has set. */
final class UnpreparedSession {

  private static final int OUT_OF_TIME_ON_MARIADB = 1969;

  private UnpreparedSession() {}

  /** Evaluates an expression. MariaDB takes the hint of MySQL for a comment. */
  static ResultSet ask(Statement statement, String expression) throws SQLException {
    try {
      return statement.executeQuery("SELECT /*+ MAX_EXECUTION_TIME(20000) */ " + expression);
    } catch (SQLException e) {
      if (e.getErrorCode() != OUT_OF_TIME_ON_MARIADB) {
        throw e;
      }
      return statement.executeQuery(
          "SET STATEMENT max_statement_time = 20 FOR SELECT " + expression);
    }
  }
}
