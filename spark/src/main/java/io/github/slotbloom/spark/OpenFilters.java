package io.github.slotbloom.spark;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.SlotBloom;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The filters that tasks in this JVM have open. Tasks of one Dataset share one, since each holds
 * all bits in memory. It is closed when the last of them ends. Thread-safe.
 */
final class OpenFilters {

  private static final OpenFilters OF_THIS_JVM = new OpenFilters();

  private final Map<String, Shared> open = new HashMap<>();

  static OpenFilters ofThisJvm() {
    return OF_THIS_JVM;
  }

  /** Opens a filter, or takes the one that another task opened. {@link #release} it once. */
  synchronized Shared take(FilterAccess access) throws SQLException {
    Shared shared = open.get(access.id());
    if (shared == null) {
      shared = Shared.open(access);
      open.put(access.id(), shared);
    }
    shared.tasks++;
    return shared;
  }

  synchronized void release(FilterAccess access) {
    Shared shared = open.get(access.id());
    if (shared != null && --shared.tasks == 0) {
      open.remove(access.id());
      onOwnThread(shared::close);
    }
  }

  /** Spark may interrupt the thread of a task, and closing would be cut short. */
  private static void onOwnThread(Runnable closing) {
    Thread thread = new Thread(closing, "slotbloom-spark-close");
    thread.setDaemon(true);
    thread.start();
  }

  /** A filter with its connections. */
  static final class Shared {
    private final DataSource dataSource;
    private final SlotBloom bloom;
    private final BloomFilter<Object> filter;
    private int tasks;

    private Shared(DataSource dataSource, SlotBloom bloom, BloomFilter<Object> filter) {
      this.dataSource = dataSource;
      this.bloom = bloom;
      this.filter = filter;
    }

    private static Shared open(FilterAccess access) throws SQLException {
      DataSource dataSource = access.database().create();
      SlotBloom bloom = null;
      try {
        bloom = SlotBloom.on(dataSource);
        return new Shared(dataSource, bloom, bloom.open(access.filter(), access.keys().keyType()));
      } catch (RuntimeException e) {
        SlotBloom opened = bloom;
        onOwnThread(() -> close(opened, dataSource));
        throw e;
      }
    }

    DataSource dataSource() {
      return dataSource;
    }

    BloomFilter<Object> filter() {
      return filter;
    }

    private void close() {
      close(bloom, dataSource);
    }

    private static void close(@Nullable SlotBloom bloom, DataSource dataSource) {
      if (bloom != null) {
        bloom.close();
      }
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
