package io.github.slotbloom.testing;

import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.internal.store.session.ServerSettings;
import io.github.slotbloom.internal.store.session.Servers;
import io.github.slotbloom.internal.time.TimeSource;

/** The engines of a process that tells nobody anything, and whose filters do not grow. */
public final class QuietEngines {

  private QuietEngines() {}

  /** Starts them, with clocks that the test may set. */
  public static FilterEngines on(Database database, TimeSource clock) {
    return new FilterEngines(
        Servers.only(database),
        database.transact(ServerSettings::read),
        clock,
        event -> {},
        new MakesNoGenerations(),
        FilterEngines.threads(),
        FilterEngines.timer());
  }
}
