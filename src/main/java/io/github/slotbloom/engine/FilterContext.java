package io.github.slotbloom.engine;

import io.github.slotbloom.event.SlotBloomListener;
import io.github.slotbloom.mirror.TimeSource;
import io.github.slotbloom.store.Catalog;
import io.github.slotbloom.store.Database;
import io.github.slotbloom.store.FilterRecord;
import io.github.slotbloom.store.FoldRows;
import io.github.slotbloom.store.Journal;
import io.github.slotbloom.store.ServerSettings;
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
