package io.github.slotbloom.perf.peer;

import io.github.slotbloom.perf.server.DatabaseServer;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.LocalDate;

/**
 * A table from which expired keys are deleted in batches: ranges of the primary key, one after the
 * other. Hashes are spread evenly, so equal ranges have about as many rows. Another index, on the
 * day, would be as large as the table, and its rows would be deleted in no order.
 */
public final class PurgedWindow extends TableWindow {

  private final int ranges;

  /**
   * Creates an empty table.
   *
   * @param ranges the number of batches of a purge, a power of two
   */
  public PurgedWindow(DatabaseServer server, String schema, int ranges, LocalDate day)
      throws SQLException {
    super("Table that is purged by DELETE", server, schema, "purged", "", day);
    this.ranges = ranges;
  }

  @Override
  void purge(LocalDate oldest) throws SQLException {
    // All hashes, cut into that many ranges.
    long length = Long.MIN_VALUE / ranges * -2;
    try (PreparedStatement delete =
        prepare("DELETE FROM " + table() + " WHERE hash BETWEEN ? AND ? AND day < ?")) {
      long first = Long.MIN_VALUE;
      for (int i = 0; i < ranges; i++) {
        delete.setLong(1, first);
        delete.setLong(2, first + length - 1);
        delete.setObject(3, oldest);
        delete.executeUpdate();
        first += length;
      }
    }
  }
}
