package io.github.slotbloom.reliability;

import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.RemovalRecord;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.internal.time.TimeSource;
import io.github.slotbloom.testing.QuietEngines;
import io.github.slotbloom.testing.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.awaitility.Awaitility;

/** Trims a journal now rather than once a minute, with a clock that is put forward. */
public final class ForcedTrimming {

  private static final class Clock implements TimeSource {
    private final AtomicLong ahead = new AtomicLong();

    @Override
    public long nanoTime() {
      return System.nanoTime() + ahead.get();
    }

    @Override
    public long wallMillis() {
      return System.currentTimeMillis();
    }
  }

  private ForcedTrimming() {}

  /**
   * Returns when only the newest entry is left, and no row of a key that was removed before the
   * filter was rebuilt.
   */
  public static void trim(DataSource dataSource, String name) {
    Database database = Database.connect(dataSource);
    FilterRecord filter =
        database.transact(tx -> Catalog.find(tx, new FilterName(name))).orElseThrow();
    Clock clock = new Clock();
    try (FilterEngines engines = QuietEngines.on(database, clock)) {
      engines.open(
          filter,
          FilterOptions.defaults()
              .timeout(Duration.ofSeconds(20))
              .backlogLimit(1000)
              .withoutMirror());
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .pollInterval(Duration.ofMillis(10))
          .ignoreExceptionsInstanceOf(SQLException.class)
          .until(
              () -> {
                clock.ahead.addAndGet(Duration.ofSeconds(61).toNanos());
                return rows(dataSource, filter.id()) == 1 && rowsOfBefore(dataSource, filter) == 0;
              });
    }
  }

  private static long rows(DataSource dataSource, long filterId) throws SQLException {
    return new Sql(dataSource)
        .number("SELECT COUNT(*) FROM bloom_journal WHERE filter_id = ? AND seq > 0", filterId);
  }

  private static long rowsOfBefore(DataSource dataSource, FilterRecord filter) throws SQLException {
    RemovalRecord removal = filter.removal();
    return removal == null
        ? 0
        : new Sql(dataSource)
            .number(
                "SELECT COUNT(*) FROM `" + removal.table() + "` WHERE seq <= ? AND seq <> ?",
                filter.manifest().removedAfter(),
                filter.manifest().begins());
  }
}
