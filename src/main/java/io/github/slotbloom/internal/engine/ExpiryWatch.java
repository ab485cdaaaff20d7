package io.github.slotbloom.internal.engine;

import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.SlotBloomListener;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.internal.background.Background;
import io.github.slotbloom.internal.background.BackgroundTask;
import io.github.slotbloom.internal.store.catalog.ExpiryRows;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Notices that an open filter expired, and tells the application once. Thread-safe. */
final class ExpiryWatch {

  private static final Logger log = LoggerFactory.getLogger(ExpiryWatch.class);

  private final FilterName filter;
  private final Database database;
  private final SlotBloomListener listener;
  private final Consumer<FilterName> expired;
  private final BackgroundTask whetherExpired;
  private final AtomicBoolean told = new AtomicBoolean();
  private volatile @Nullable Instant expiresAt;
  private volatile boolean over;
  private volatile boolean missing;

  /**
   * @param expired is told of the filter with each poll that finds it expired
   */
  ExpiryWatch(
      FilterRecord filter,
      Database database,
      Background io,
      SlotBloomListener listener,
      Consumer<FilterName> expired) {
    this.filter = filter.name();
    this.database = database;
    this.listener = listener;
    this.expired = expired;
    this.expiresAt = filter.head().expiresAt();
    // If the task does not begin, the next poll asks for it again.
    this.whetherExpired =
        new BackgroundTask(
            "checking whether filter " + filter.name() + " expired",
            io,
            this::lookWhetherExpired,
            e -> missing = false);
  }

  /** Takes in a head. Returns true if the filter is over. */
  boolean heard(FilterHead head) {
    expiresAt = head.expiresAt();
    over = head.isOver();
    missing = false;
    if (over) {
      expired.accept(filter);
      tell();
    } else {
      told.set(false);
    }
    return over;
  }

  /** Takes in that the database has no such filter anymore. */
  void isMissing() {
    if (expiresAt != null && !missing && !over) {
      missing = true;
      whetherExpired.request();
    }
  }

  /** Returns true if the filter was last heard to be over. */
  boolean isOver() {
    return over;
  }

  /** Others may have removed the filter between two polls. */
  private void lookWhetherExpired() {
    Instant at = expiresAt;
    try {
      if (at != null && database.transact(tx -> ExpiryRows.hasCome(tx, at))) {
        over = true;
        tell();
      }
    } catch (DatabaseFailure e) {
      log.debug("could not find out yet whether filter {} expired", filter, e);
      missing = false;
    }
  }

  private void tell() {
    if (told.compareAndSet(false, true)) {
      log.info("filter {} expired", filter);
      listener.on(new SlotBloomEvent.Expired(filter.value()));
    }
  }
}
