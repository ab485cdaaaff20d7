package io.github.slotbloom.internal.admin;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.ExpiryRows;
import io.github.slotbloom.internal.store.catalog.HeadLock;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.FilterState;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sets when filters expire, and removes those that did.
 *
 * <p>From that moment on nobody can use a filter, but it is removed only later, so that it can be
 * restored: a clock that leaps ahead destroys nothing. Whoever notices the expiry first notes the
 * time. The grace counts from that note, and not from the expiry, since after a leap the expiry
 * seems to be long past. Thread-safe.
 */
public final class Expiring {

  /** How long after the expiry was noticed the filter can be restored, at least. */
  public static final Duration GRACE = Duration.ofHours(1);

  private static final Logger log = LoggerFactory.getLogger(Expiring.class);

  private final FilterDirectory directory;
  private final FilterEngines engines;

  public Expiring(FilterDirectory directory, FilterEngines engines) {
    this.directory = directory;
    this.engines = engines;
  }

  /**
   * Sets when a filter expires. A filter that expired, and that nobody has begun to remove, can be
   * used again if the time is later than now.
   *
   * @param at null if it never expires
   * @throws FilterNotFoundException if there is none, or if it is being removed
   */
  public void expireAt(FilterName name, @Nullable Instant at) {
    FilterRecord filter = directory.requireExpiredToo(name);
    directory.run(
        tx -> {
          FilterHead head =
              HeadLock.takeOnAllServers(tx, filter)
                  .orElseThrow(
                      () ->
                          new FilterNotFoundException(
                              "Filter "
                                  + name
                                  + " was dropped before its expiration time was set."));
          if (head.state() == FilterState.DROPPING) {
            throw FilterDirectory.over(name, head);
          }
          ExpiryRows.set(tx, filter.id(), at);
        });
  }

  /** Removes a filter of that name now if it expired. */
  public void makeWay(FilterName name) {
    findOver(name).ifPresent(filter -> drop(filter, Duration.ZERO));
  }

  /**
   * Takes a step towards the removal of a filter, if it expired: notes that, or removes it if that
   * was noted long enough ago.
   *
   * @param alone true if no other process seems to remove it
   * @return false if there is nothing left to do
   */
  boolean tend(FilterName name, boolean alone) {
    Optional<FilterRecord> found = findOver(name);
    if (found.isEmpty()) {
      return false;
    }
    FilterRecord filter = found.get();
    if (filter.head().state() == FilterState.DROPPING) {
      return !alone || !drop(filter, GRACE);
    }
    Optional<Duration> noticed = directory.ask(tx -> ExpiryRows.noticedFor(tx, filter.id()));
    if (noticed.isEmpty()) {
      directory.run(tx -> ExpiryRows.notice(tx, filter.id()));
      return true;
    }
    return noticed.get().compareTo(GRACE) < 0 || !drop(filter, GRACE);
  }

  private Optional<FilterRecord> findOver(FilterName name) {
    return directory.ask(tx -> Catalog.find(tx, name)).filter(filter -> filter.head().isOver());
  }

  /** Returns false if the filter is to stay, or if others removed it. */
  private boolean drop(FilterRecord filter, Duration noticedFor) {
    boolean dropped = new Dropping(engines, filter).dropExpired(noticedFor);
    if (dropped) {
      log.info("filter {} expired and was removed", filter.name());
    }
    return dropped;
  }
}
