package io.github.slotbloom.engine;

import io.github.slotbloom.event.SlotBloomListener;
import io.github.slotbloom.mirror.FilterNotReady;
import io.github.slotbloom.mirror.TimeSource;
import io.github.slotbloom.store.Catalog;
import io.github.slotbloom.store.Database;
import io.github.slotbloom.store.FilterRecord;
import io.github.slotbloom.store.FoldRows;
import io.github.slotbloom.store.Journal;
import io.github.slotbloom.store.ServerSettings;
import io.github.slotbloom.store.Tx;
import java.util.concurrent.Executor;

/**
 * What all the parts that work on one open filter share.
 *
 * @param filter its catalog row when it was opened
 * @param database where it lives
 * @param server what the server does with a commit
 * @param time the clocks
 * @param listener hears what happens
 * @param io runs what waits for the database
 */
record FilterContext(
    FilterRecord filter,
    Database database,
    ServerSettings server,
    TimeSource time,
    SlotBloomListener listener,
    Executor io) {

  private static final Catalog CATALOG = new Catalog();
  private static final Journal JOURNAL = new Journal();
  private static final FoldRows FOLDS = new FoldRows();

  long id() {
    return filter.id();
  }

  String name() {
    return filter.name().value();
  }

  /**
   * Refuses what is no longer the filter that was opened.
   *
   * @throws io.github.slotbloom.error.CorruptFilterException if its rows were changed
   * @throws FilterNotReady if it is gone, though another one may have its number since
   */
  FilterRecord requireUnchanged(Tx tx) {
    FilterRecord now =
        CATALOG
            .find(tx, id())
            .filter(filter::isSameFilterAs)
            .orElseThrow(() -> FilterNotReady.gone(filter.name()));
    filter.requireUnchanged(now);
    return now;
  }

  Catalog catalog() {
    return CATALOG;
  }

  Journal journal() {
    return JOURNAL;
  }

  FoldRows folds() {
    return FOLDS;
  }
}
