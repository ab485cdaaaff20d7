package io.github.slotbloom.spark;

import java.io.Serializable;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Creates the data source by which an executor reaches the database. Spark sends this object to the
 * executors, so it must hold nothing but what can be serialized, such as a URL and the name of a
 * secret; connections and pools are made by {@link #create}.
 *
 * <p>Whoever can read the jobs of the cluster can read what this object holds. So rather look up a
 * password in {@link #create} than hold it.
 */
@FunctionalInterface
public interface DataSourceFactory extends Serializable {

  /**
   * Creates a data source. Called once in each JVM while tasks run there that use the same Dataset.
   * Each task that runs takes one connection, and the filter takes up to three more.
   *
   * @return a data source that leads to the schema of the filter. If it is {@link AutoCloseable},
   *     as pools are, it is closed when the last of those tasks has ended
   * @throws SQLException if none can be created; the task fails with it
   */
  DataSource create() throws SQLException;
}
