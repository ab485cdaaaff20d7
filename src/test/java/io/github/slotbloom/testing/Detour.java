package io.github.slotbloom.testing;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Leads to a server by way of other software. Found by {@link java.util.ServiceLoader}: a module
 * that has one on its class path runs tests over it.
 */
public interface Detour {

  /** Returns the word for the software in the name of the database. */
  String name();

  /**
   * Returns connections that lead to a server, and might lead to another one by mistake.
   *
   * @param server connections to the schema of a test
   * @param other connections to an empty schema of the same name on the other server
   * @return connections that can be unwrapped to something {@link AutoCloseable}, which closes both
   */
  DataSource to(HikariDataSource server, HikariDataSource other) throws SQLException;
}
