package io.github.slotbloom.engine;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.event.SlotBloomListener;
import io.github.slotbloom.mirror.TimeSource;
import io.github.slotbloom.store.Catalog;
import io.github.slotbloom.store.Database;
import io.github.slotbloom.store.FilterRecord;
import io.github.slotbloom.store.ServerSettings;
import java.time.Duration;
import javax.sql.DataSource;

/** The filter "words", open as a process has it whose clocks a test sets. */
final class WordsEngine implements AutoCloseable {

  final FilterEngine engine;
  private final FilterEngines engines;

  WordsEngine(DataSource dataSource, TimeSource clock) {
    Database database = Database.connect(dataSource);
    FilterRecord filter =
        database.transact(tx -> new Catalog().find(tx, new FilterName("words"))).orElseThrow();
    ServerSettings server = database.transact(ServerSettings::read);
    engines = new FilterEngines(database, server, clock, SlotBloomListener.NONE, new NeverGrows());
    engine =
        engines.open(
            filter,
            new EngineOptions(
                Duration.ZERO, true, Duration.ofSeconds(20), 1000, 1000, 1000, false, 0.8));
  }

  @Override
  public void close() {
    engines.close();
  }
}
