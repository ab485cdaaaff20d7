package io.github.slotbloom.reliability;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.internal.add.Rotation;
import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.admin.Rotating;
import io.github.slotbloom.internal.mirror.TimeSource;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import java.time.Duration;
import javax.sql.DataSource;
import org.awaitility.Awaitility;

/** Does at once what processes that add to a window do in the background. */
final class ForcedRotation {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private ForcedRotation() {}

  /**
   * Begins the present bucket, makes the table for the one after it, and drops those that expired.
   * Tries again if the database is away.
   */
  static void rotate(DataSource dataSource, String name) {
    Awaitility.await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(100))
        .ignoreExceptionsInstanceOf(FilterUnavailableException.class)
        .until(() -> rotateOnce(dataSource, name));
  }

  private static boolean rotateOnce(DataSource dataSource, String name) {
    FilterDirectory directory = FilterDirectory.connect(dataSource, TimeSource.SYSTEM);
    FilterRecord filter = directory.require(new FilterName(name));
    Rotating rotating = new Rotating(directory, new Rotation(TimeSource.SYSTEM));
    rotating.rotate(filter);
    rotating.prepare(filter);
    return true;
  }
}
