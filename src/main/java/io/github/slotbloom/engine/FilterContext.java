package io.github.slotbloom.engine;

import io.github.slotbloom.background.Background;
import io.github.slotbloom.event.SlotBloomListener;
import io.github.slotbloom.mirror.FilterNotReady;
import io.github.slotbloom.mirror.TimeSource;
import io.github.slotbloom.store.Catalog;
import io.github.slotbloom.store.Database;
import io.github.slotbloom.store.FilterRecord;
import io.github.slotbloom.store.FoldRows;
import io.github.slotbloom.store.HashBlocks;
import io.github.slotbloom.store.Journal;
import io.github.slotbloom.store.Tx;

/** What all the parts that work on one open filter share. Thread-safe. */
final class FilterContext {

  private static final Catalog CATALOG = new Catalog();
  private static final Journal JOURNAL = new Journal();
  private static final FoldRows FOLDS = new FoldRows();
  private static final HashBlocks HASH_BLOCKS = new HashBlocks();

  private final Database database;
  private final ServerWatch server;
  private final TimeSource time;
  private final SlotBloomListener listener;
  private final Background io;
  private volatile FilterRecord filter;

  /**
   * @param filter its catalog row when it was opened
   * @param database where it lives
   * @param server what the server does with a commit
   * @param time the clocks
   * @param listener hears what happens
   * @param io runs what waits for the database
   */
  FilterContext(
      FilterRecord filter,
      Database database,
      ServerWatch server,
      TimeSource time,
      SlotBloomListener listener,
      Background io) {
    this.filter = filter;
    this.database = database;
    this.server = server;
    this.time = time;
    this.listener = listener;
    this.io = io;
  }

  /** Its catalog row when it was last looked at. What may change of it is its generations. */
  FilterRecord filter() {
    return filter;
  }

  long id() {
    return filter.id();
  }

  String name() {
    return filter.name().value();
  }

  Database database() {
    return database;
  }

  ServerWatch server() {
    return server;
  }

  TimeSource time() {
    return time;
  }

  SlotBloomListener listener() {
    return listener;
  }

  Background io() {
    return io;
  }

  /**
   * Looks at the catalog anew, and refuses what is no longer the filter that was opened.
   *
   * @throws io.github.slotbloom.error.CorruptFilterException if its rows were changed
   * @throws FilterNotReady if it is gone, though another one may have its number since
   */
  FilterRecord requireUnchanged(Tx tx) {
    FilterRecord before = filter;
    FilterRecord now =
        CATALOG
            .find(tx, id())
            .filter(before::isSameFilterAs)
            .orElseThrow(() -> FilterNotReady.gone(before.name()));
    before.requireUnchanged(now);
    FilterRecord followed = before.with(now.head(), now.set());
    filter = followed;
    return followed;
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

  HashBlocks hashBlocks() {
    return HASH_BLOCKS;
  }
}
