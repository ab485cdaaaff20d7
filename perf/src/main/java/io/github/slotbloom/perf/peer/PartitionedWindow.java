package io.github.slotbloom.perf.peer;

import io.github.slotbloom.perf.server.DatabaseServer;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A table with a partition for each day. What expired is dropped with its partition. The partition
 * for the next day is made a day ahead, so nobody waits for it at midnight.
 */
public final class PartitionedWindow extends TableWindow {

  /** Ascending; the last one is that of tomorrow. */
  private final Deque<LocalDate> days = new ArrayDeque<>();

  public PartitionedWindow(DatabaseServer server, String schema, LocalDate day)
      throws SQLException {
    super(
        "Table with a partition for each day",
        server,
        schema,
        "partitioned",
        " PARTITION BY RANGE COLUMNS (day) (" + partition(day) + ", " + tomorrow(day) + ")",
        day);
    days.add(day);
    days.add(day.plusDays(1));
  }

  private static String tomorrow(LocalDate day) {
    return partition(day.plusDays(1));
  }

  private static String partition(LocalDate day) {
    return "PARTITION %s VALUES LESS THAN ('%s')".formatted(name(day), day.plusDays(1));
  }

  private static String name(LocalDate day) {
    return "d" + day.toEpochDay();
  }

  @Override
  void purge(LocalDate oldest) throws SQLException {
    while (days.getFirst().isBefore(oldest)) {
      execute("ALTER TABLE " + table() + " DROP PARTITION " + name(days.removeFirst()));
    }
    LocalDate next = days.getLast();
    execute("ALTER TABLE " + table() + " ADD PARTITION (" + tomorrow(next) + ")");
    days.add(next.plusDays(1));
  }
}
