package io.github.slotbloom.spark;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.error.InvalidParameterException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The filters that tasks in this JVM have open. Tasks of one Dataset share one, since each holds
 * all bits in memory. It is closed when the last of them ends. Thread-safe.
 */
final class OpenFilters {

  private static final Logger log = LoggerFactory.getLogger(OpenFilters.class);

  private static final OpenFilters OF_THIS_JVM = new OpenFilters();

  private final Map<String, Use> uses = new HashMap<>();

  static OpenFilters ofThisJvm() {
    return OF_THIS_JVM;
  }

  /**
   * Opens a filter, or takes the one that another task opened. {@link #release} it once, unless
   * this fails. Opening takes as long as all bits take to be read, and only tasks of the same
   * Dataset wait for that.
   */
  Shared take(FilterAccess access) throws SQLException {
    Use use;
    synchronized (this) {
      use = uses.computeIfAbsent(access.id(), id -> new Use());
      use.tasks++;
    }
    try {
      return use.opened(access);
    } catch (SQLException | RuntimeException | Error e) {
      release(access);
      throw e;
    }
  }

  synchronized void release(FilterAccess access) {
    Use use = uses.get(access.id());
    if (use != null && --use.tasks == 0) {
      uses.remove(access.id());
      onOwnThread(use::close);
    }
  }

  /**
   * Spark may interrupt the thread of a task, and closing would be cut short. And Spark ends an
   * executor, with all its tasks, if a thread there ends with an exception.
   */
  private static void onOwnThread(Runnable closing) {
    Runnable unfailing =
        () -> {
          try {
            closing.run();
          } catch (RuntimeException | Error e) {
            log.warn("what tasks had open could not be closed cleanly; no answer is lost", e);
          }
        };
    Thread thread = new Thread(unfailing, "slotbloom-spark-close");
    thread.setDaemon(true);
    thread.start();
  }

  /** The filter that the tasks of one Dataset share, once the first of them has opened it. */
  private static final class Use {
    /** Guarded by the lock of all uses. */
    private int tasks;

    private @Nullable Shared shared;

    synchronized Shared opened(FilterAccess access) throws SQLException {
      Shared opened = shared;
      if (opened == null) {
        opened = Shared.open(access);
        shared = opened;
      }
      return opened;
    }

    synchronized void close() {
      if (shared != null) {
        shared.close();
      }
    }
  }

  /** A filter with its connections. */
  record Shared(DataSource dataSource, SlotBloom bloom, BloomFilter<Object> filter) {

    private static Shared open(FilterAccess access) throws SQLException {
      DataSource dataSource = access.database().create();
      SlotBloom bloom = null;
      try {
        bloom = SlotBloom.on(dataSource);
        BloomFilter<Object> filter = bloom.open(access.filter(), access.keys().keyType());
        requireCommittedReads(dataSource);
        return new Shared(dataSource, bloom, filter);
      } catch (SQLException | RuntimeException | Error e) {
        SlotBloom opened = bloom;
        onOwnThread(() -> close(opened, dataSource));
        throw e;
      }
    }

    /**
     * A task would take the row of a chunk, without its answers yet, from a transaction at work.
     */
    private static void requireCommittedReads(DataSource dataSource) throws SQLException {
      try (Connection connection = dataSource.getConnection()) {
        if (connection.getTransactionIsolation() == Connection.TRANSACTION_READ_UNCOMMITTED) {
          throw new InvalidParameterException(
              "The connections of the DataSourceFactory are set to READ UNCOMMITTED, which shows"
                  + " uncommitted answers. Set them to READ COMMITTED or REPEATABLE READ.");
        }
      }
    }

    private void close() {
      close(bloom, dataSource);
    }

    private static void close(@Nullable SlotBloom bloom, DataSource dataSource) {
      try {
        if (bloom != null) {
          bloom.close();
        }
      } finally {
        closeIfPossible(dataSource);
      }
    }

    private static void closeIfPossible(DataSource dataSource) {
      if (dataSource instanceof AutoCloseable closeable) {
        try {
          closeable.close();
        } catch (Exception e) {
          throw new IllegalStateException("The data source could not be closed.", e);
        }
      }
    }
  }
}
