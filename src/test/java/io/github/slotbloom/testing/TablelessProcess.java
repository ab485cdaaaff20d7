package io.github.slotbloom.testing;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.internal.admin.FilterDirectory;
import io.github.slotbloom.internal.background.Callbacks;
import io.github.slotbloom.internal.duty.Rotator;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.opened.EngineRemovableFilter;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.Servers;
import io.github.slotbloom.internal.time.TimeSource;
import javax.sql.DataSource;

/** A process that makes no slot tables: neither for the next bucket of a window, nor to grow. */
public final class TablelessProcess implements AutoCloseable {

  private final FilterDirectory directory;
  private final FilterEngines engines;
  private final Callbacks callbacks = new Callbacks(null, System::nanoTime);

  public TablelessProcess(DataSource dataSource) {
    directory = FilterDirectory.connect(dataSource, TimeSource.SYSTEM);
    engines =
        new FilterEngines(
            Servers.only(directory.database()),
            directory.serverSettings(),
            TimeSource.SYSTEM,
            event -> {},
            new NeverGrows());
    engines.rotateBy(new NeverRotates());
  }

  private static final class NeverRotates implements Rotator {

    @Override
    public void rotate(FilterRecord filter) {}

    @Override
    public long prepare(FilterRecord filter) {
      return filter.head().generationToken();
    }
  }

  /** Opens a filter, which is closed with this. */
  public <K> BloomFilter<K> open(String name, KeyType<K> keyType) {
    return EngineRemovableFilter.openAny(
        directory.require(new FilterName(name)),
        keyType,
        FilterOptions.defaults(),
        engines,
        directory,
        callbacks,
        (filter, last) -> {});
  }

  @Override
  public void close() {
    engines.close();
    callbacks.close();
  }
}
