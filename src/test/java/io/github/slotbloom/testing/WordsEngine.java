package io.github.slotbloom.testing;

import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.internal.engine.FilterEngine;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.internal.time.TimeSource;
import java.time.Duration;
import javax.sql.DataSource;

/** The filter "words", opened as in a process whose clocks a test sets. */
public final class WordsEngine implements AutoCloseable {

  public final FilterEngine engine;
  private final FilterEngines engines;

  public WordsEngine(DataSource dataSource, TimeSource clock) {
    Database database = Database.connect(dataSource);
    FilterRecord filter =
        database.transact(tx -> Catalog.find(tx, new FilterName("words"))).orElseThrow();
    engines = QuietEngines.on(database, clock);
    engine =
        engines.open(
            filter, FilterOptions.defaults().timeout(Duration.ofSeconds(20)).backlogLimit(1000));
  }

  @Override
  public void close() {
    engines.close();
  }
}
