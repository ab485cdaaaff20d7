package io.github.slotbloom.reliability;

import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.SlotBloomListener;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.admin.Rebuilding;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.mirror.TimeSource;
import io.github.slotbloom.internal.store.Servers;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import io.github.slotbloom.testing.NeverGrows;
import io.github.slotbloom.testing.SetClock;
import io.github.slotbloom.testing.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.awaitility.Awaitility;

/**
 * Has a filter with many removed keys built anew now rather than some seconds after it was opened.
 */
final class ForcedRebuild {

  private ForcedRebuild() {}

  /** Returns when one generation is left, which replaced the first. */
  static void rebuild(DataSource dataSource, String name) {
    FilterDirectory directory = FilterDirectory.connect(dataSource, TimeSource.SYSTEM);
    FilterRecord filter = directory.require(new FilterName(name));
    SetClock clock = new SetClock();
    try (FilterEngines engines =
        new FilterEngines(
            Servers.only(directory.database()),
            directory.serverSettings(),
            clock,
            SlotBloomListener.NONE,
            new NeverGrows())) {
      engines.rebuildBy(new Rebuilding(directory, engines));
      engines.open(
          filter, FilterOptions.defaults().timeout(Duration.ofSeconds(20)).withoutMirror());
      clock.advance(Duration.ofSeconds(11));
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .pollInterval(Duration.ofMillis(100))
          .ignoreExceptionsInstanceOf(SQLException.class)
          .until(() -> isRebuilt(dataSource, filter.id()));
    }
  }

  private static boolean isRebuilt(DataSource dataSource, long filterId) throws SQLException {
    return new Sql(dataSource)
        .texts(
            "SELECT IF(state = 'ACTIVE' AND cutover_seq = 0, 'OLD', state) FROM bloom_generation"
                + " WHERE filter_id = ? AND state <> 'DROPPED'",
            filterId)
        .equals(List.of("ACTIVE"));
  }
}
