package io.github.slotbloom.internal.context;

import io.github.slotbloom.SlotBloomListener;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.Window;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.internal.background.Background;
import io.github.slotbloom.internal.mirror.FilterNotReady;
import io.github.slotbloom.internal.mirror.Mirror;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.WindowRows;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.journal.UnfoldedFilter;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.internal.store.session.Servers;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.time.DatabaseClock;
import io.github.slotbloom.internal.time.Moment;
import io.github.slotbloom.internal.time.TimeSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Holds the things that all parts of one open filter share. Thread-safe. */
public final class FilterContext {

  private final Servers servers;
  private final ServerWatch server;
  private final TimeSource time;
  private final SlotBloomListener listener;
  private final Background io;
  private volatile FilterRecord filter;

  /**
   * Creates the context of one filter.
   *
   * @param filter its catalog row when it was opened
   * @param servers where the filter lives
   * @param server what the server does with a commit
   * @param time the clocks
   * @param listener receives the events
   * @param io runs the work that waits for the database
   */
  public FilterContext(
      FilterRecord filter,
      Servers servers,
      ServerWatch server,
      TimeSource time,
      SlotBloomListener listener,
      Background io) {
    this.filter = filter;
    this.servers = servers;
    this.server = server;
    this.time = time;
    this.listener = listener;
    this.io = io;
  }

  /** Returns the catalog row of the filter as last read. Only its generations may change. */
  public FilterRecord filter() {
    return filter;
  }

  /** Returns true if work failed since the filter is gone, and it was to expire some time. */
  public boolean isGoneAsExpected(Throwable failure) {
    Throwable reason = failure instanceof FilterNotFoundException e ? e.getCause() : failure;
    if (reason instanceof FilterNotReady notReady && notReady.isExpired()) {
      return true;
    }
    boolean gone =
        failure instanceof FilterNotFoundException
            || (failure instanceof FilterNotReady notReady && notReady.isGone());
    return gone && filter.head().expiresAt() != null;
  }

  /**
   * Returns the bucket that the clock of the database is in, or an earlier one. A clock that is far
   * ahead of that of this machine is not believed, so that no keys expire by mistake.
   *
   * @return {@link Long#MIN_VALUE} if keys never expire, or if the clock was never read or is not
   *     believed
   */
  public long bucketAtLeast() {
    Window window = filter.window();
    if (window == null) {
      return Long.MIN_VALUE;
    }
    long micros = server.clock().atLeastMicros();
    return micros == Long.MIN_VALUE ? micros : DatabaseClock.credibleBucket(window, micros, time);
  }

  /**
   * Returns the bucket that the clock of the database is in, or a later one.
   *
   * @return {@link Long#MAX_VALUE} if the clock was never read
   */
  public long bucketAtMost() {
    Window window = filter.window();
    long micros = server.clock().atMostMicros();
    return window == null || micros == Long.MAX_VALUE ? Long.MAX_VALUE : window.bucketAt(micros);
  }

  /**
   * Reads the clock of the database, if keys expire.
   *
   * @throws io.github.slotbloom.internal.store.session.DatabaseFailure if it could not be read
   */
  public void readClock() {
    if (filter.window() != null) {
      Moment asked = time.now();
      server.clock().hear(asked, database().transact(WindowRows::nowMicros));
    }
  }

  public long id() {
    return filter.id();
  }

  public FilterName name() {
    return filter.name();
  }

  /** Returns the server that takes all writes. */
  public Database database() {
    return servers.primary();
  }

  /** Returns the servers that answer questions, among them the one that takes all writes. */
  public Servers servers() {
    return servers;
  }

  public ServerWatch server() {
    return server;
  }

  public TimeSource time() {
    return time;
  }

  public SlotBloomListener listener() {
    return listener;
  }

  public Background io() {
    return io;
  }

  /**
   * Creates a mirror of the filter, without bits.
   *
   * @param beforeLoad runs before each load of the bits; an exception from it fails the load
   */
  public Mirror mirror(Runnable beforeLoad) {
    return new Mirror(filter, servers, io, time, listener, beforeLoad, this::bucketAtLeast);
  }

  /**
   * Reads the catalog again, and throws if the filter is no longer the one that was opened.
   *
   * @throws io.github.slotbloom.error.CorruptFilterException if its rows were changed
   * @throws FilterNotReady if the filter is gone, even if another one has its number since
   * @throws io.github.slotbloom.error.FilterNotFoundException if the filter was renamed
   */
  public FilterRecord requireUnchanged(Tx tx) {
    FilterRecord before = filter;
    return follow(
        before, Catalog.find(tx, before).orElseThrow(() -> FilterNotReady.gone(before.name())));
  }

  /**
   * Does the same as {@link #requireUnchanged}, and reads what is not folded in the same statement.
   */
  public UnfoldedFilter unfolded(Tx tx) {
    FilterRecord before = filter;
    UnfoldedFilter now =
        UnfoldedFilter.read(tx, before).orElseThrow(() -> FilterNotReady.gone(before.name()));
    return new UnfoldedFilter(follow(before, now.filter()), now.tail());
  }

  private FilterRecord follow(FilterRecord before, FilterRecord now) {
    before.requireUnchanged(now);
    FilterRecord followed = before.with(now.head(), now.set());
    filter = followed;
    return followed;
  }

  /**
   * Returns the filter with the generations of a head that is locked, whatever snapshot the
   * transaction has.
   *
   * @return empty if they cannot be read: rows of buckets that expired are gone. The catalog is
   *     then read again in the background, so that a transaction that is repeated knows them
   */
  public Optional<FilterRecord> at(Tx tx, FilterHead head) {
    FilterRecord known = filter;
    if (known.knows(head)) {
      return Optional.of(known.with(head, known.set()));
    }
    Optional<FilterRecord> locked = Catalog.lockGenerations(tx, known, head);
    if (locked.isEmpty()) {
      CompletableFuture<Void> unused = io.run(() -> database().transact(this::requireUnchanged));
    }
    return locked;
  }
}
