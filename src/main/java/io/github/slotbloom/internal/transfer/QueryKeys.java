package io.github.slotbloom.internal.transfer;

import io.github.slotbloom.error.ReplacementException;
import io.github.slotbloom.internal.store.session.BrokenConnection;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import java.util.Spliterator;
import java.util.Spliterators.AbstractSpliterator;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The keys in the rows of a query, read as they come. */
public final class QueryKeys<K> {

  private static final Logger log = LoggerFactory.getLogger(QueryKeys.class);

  /** The number of rows that a driver reads ahead if it cannot stream better. */
  private static final int ROWS_AHEAD = 1000;

  /** Makes the key of the row that the result is at. */
  @FunctionalInterface
  public interface RowKey<K> {
    K of(ResultSet row) throws SQLException;
  }

  private final DataSource dataSource;
  private final String sql;
  private final RowKey<K> key;

  public QueryKeys(DataSource dataSource, String sql, RowKey<K> key) {
    this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
    this.sql = Objects.requireNonNull(sql, "sql");
    this.key = Objects.requireNonNull(key, "key");
  }

  /** Runs the query. The stream has to be closed. */
  @SuppressWarnings("MustBeClosedChecker") // Whoever gets the stream closes it.
  public Stream<K> stream() throws SQLException {
    Connection connection = dataSource.getConnection();
    try {
      boolean autocommit = connection.getAutoCommit();
      // PostgreSQL streams within a transaction only.
      connection.setAutoCommit(false);
      Statement statement =
          connection.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY);
      statement.setFetchSize(rowsAhead(connection));
      Rows rows = new Rows(statement.executeQuery(sql));
      return StreamSupport.stream(rows, false).onClose(() -> close(connection, autocommit, rows));
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  /** Connector/J keeps a whole result in memory unless it is asked in this way not to. */
  private static int rowsAhead(Connection connection) throws SQLException {
    return connection.getMetaData().getDriverName().startsWith("MySQL")
        ? Integer.MIN_VALUE
        : ROWS_AHEAD;
  }

  private void close(Connection connection, boolean autocommit, Rows rows) {
    if (!rows.ended) {
      giveUp(connection, autocommit, rows);
      return;
    }
    try (connection) {
      if (autocommit) {
        connection.rollback();
        connection.setAutoCommit(true);
      }
    } catch (SQLException e) {
      throw failed(e);
    }
  }

  /** A driver that streams would read all other rows first, which may take hours. */
  private void giveUp(Connection connection, boolean autocommit, Rows rows) {
    SQLException givenUp = new SQLException("The query was canceled.");
    try (connection) {
      if (autocommit) {
        BrokenConnection.discard(connection, givenUp);
      } else {
        // It may be in a transaction of somebody else.
        rows.cancel();
      }
    } catch (SQLException e) {
      givenUp.addSuppressed(e);
    }
    log.debug("a query was canceled", givenUp);
  }

  private ReplacementException failed(SQLException e) {
    ReplacementException failure =
        new ReplacementException(
            "The query "
                + sql
                + " failed: "
                + e.getMessage()
                + ". Correct the query, then replace again.");
    failure.initCause(e);
    return failure;
  }

  private final class Rows extends AbstractSpliterator<K> {
    private final ResultSet rows;
    private boolean ended;

    Rows(ResultSet rows) {
      super(Long.MAX_VALUE, Spliterator.ORDERED);
      this.rows = rows;
    }

    @Override
    public boolean tryAdvance(Consumer<? super K> action) {
      try {
        if (!rows.next()) {
          ended = true;
          return false;
        }
        action.accept(key.of(rows));
        return true;
      } catch (SQLException e) {
        throw failed(e);
      }
    }

    void cancel() throws SQLException {
      try (Statement statement = rows.getStatement()) {
        statement.cancel();
      }
    }
  }
}
