package io.github.slotbloom.perf.server;

import java.io.IOException;
import java.time.Duration;

/** A database that others reach directly, seen over a line with a longer round trip. */
public final class DistantDatabase extends DatabaseServer {

  private final DatabaseServer near;
  private final DelayingProxy line;

  /**
   * Opens a line. Closing it leaves the database as it is.
   *
   * @param roundTrip the time that each round trip takes longer than over the direct line
   */
  public DistantDatabase(DatabaseServer near, Duration roundTrip) throws IOException {
    this.near = near;
    line = new DelayingProxy(near.account("").address(), roundTrip);
  }

  @Override
  public DatabaseAccount account(String schema) {
    return near.account(schema).at(line.address());
  }

  @Override
  public double clientSeconds(String schema, String query) throws Exception {
    return near.clientSeconds(schema, query);
  }

  @Override
  public void close() throws IOException {
    line.close();
  }
}
