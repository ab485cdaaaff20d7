package io.github.slotbloom.internal.admin;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.FilterClosedException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.internal.background.Background;
import io.github.slotbloom.internal.time.Moment;
import io.github.slotbloom.internal.time.TimeSource;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes, in the background, the expired filters that this process notices. Several processes may
 * do that for the same filter. Thread-safe.
 */
public final class ExpiredFilters implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(ExpiredFilters.class);

  /**
   * The time between two looks at one filter. A process that removes it is done by then, or is
   * gone.
   */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** A removal waits for a lease, and drops some tables. */
  private static final Duration CLOSE = Duration.ofSeconds(10);

  private final Expiring expiring;
  private final Background io;
  private final TimeSource time;

  /** When each expired filter was looked at last. */
  private final Map<FilterName, Moment> looked = new ConcurrentHashMap<>();

  private final Set<FilterName> warned = ConcurrentHashMap.newKeySet();

  /** Completes when all that was begun so far has ended. */
  private CompletableFuture<?> running = CompletableFuture.completedFuture(null);

  private volatile boolean closed;

  public ExpiredFilters(Expiring expiring, Background io, TimeSource time) {
    this.expiring = expiring;
    this.io = io;
    this.time = time;
  }

  /** Takes in that a filter was found expired. Does not wait. */
  public void noticed(FilterName name) {
    Moment now = time.now();
    Moment before = looked.get(name);
    if (closed || (before != null && time.nanosSince(before) < PAUSE_NANOS)) {
      return;
    }
    boolean mine =
        before == null ? looked.putIfAbsent(name, now) == null : looked.replace(name, before, now);
    if (mine) {
      tend(name, before != null);
    }
  }

  /**
   * @param again true if this process looked at the filter before
   */
  private void tend(FilterName name, boolean again) {
    Runnable work =
        () -> {
          if (!expiring.tend(name, again)) {
            looked.remove(name);
            warned.remove(name);
          }
        };
    CompletableFuture<Void> run = io.run(Background.unfailing(work, e -> report(name, e)));
    synchronized (this) {
      running = CompletableFuture.allOf(running, run);
    }
  }

  private void report(FilterName name, Throwable e) {
    if (e instanceof SchemaException && warned.add(name)) {
      log.warn(
          "filter {} expired and cannot be used, but its tables are not dropped: {} Or have an"
              + " operator drop it (slotbloom drop {}).",
          name,
          e.getMessage(),
          name);
    } else if (!(e instanceof FilterClosedException)) {
      log.debug("could not remove expired filter {}; will retry", name, e);
    }
  }

  private synchronized CompletableFuture<?> underWay() {
    return running;
  }

  /** Begins nothing more, and waits a while for what is under way. */
  @Override
  public void close() {
    closed = true;
    try {
      underWay().get(CLOSE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      log.debug("an expired filter is left to the next process that notices it", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
