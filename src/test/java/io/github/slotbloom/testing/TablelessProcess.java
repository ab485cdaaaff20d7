package io.github.slotbloom.testing;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.background.Callbacks;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.opened.EngineBloomFilter.Environment;
import io.github.slotbloom.internal.opened.EngineRemovableFilter;
import io.github.slotbloom.internal.time.TimeSource;
import javax.sql.DataSource;

/** A process that makes no slot tables: neither for the next bucket of a window, nor to grow. */
public final class TablelessProcess implements AutoCloseable {

  private final FilterDirectory directory;
  private final FilterEngines engines;
  private final Callbacks callbacks = new Callbacks(null, System::nanoTime);

  public TablelessProcess(DataSource dataSource) {
    directory = FilterDirectory.connect(dataSource, TimeSource.SYSTEM);
    engines = QuietEngines.on(directory.database(), TimeSource.SYSTEM);
  }

  /** Opens a filter, which is closed with this. */
  public <K> BloomFilter<K> open(String name, KeyType<K> keyType) {
    return EngineRemovableFilter.openAny(
        directory.require(new FilterName(name)),
        keyType,
        FilterOptions.defaults(),
        new Environment(engines, directory, callbacks, (filter, last) -> {}));
  }

  @Override
  public void close() {
    engines.close();
    callbacks.close();
  }
}
