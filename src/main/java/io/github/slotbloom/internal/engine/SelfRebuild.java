package io.github.slotbloom.internal.engine;

import io.github.slotbloom.internal.background.NotStartedException;
import io.github.slotbloom.internal.background.RecurringFailure;
import io.github.slotbloom.internal.context.FilterContext;
import io.github.slotbloom.internal.failure.Failures;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.RemovalRecord;
import io.github.slotbloom.internal.time.Moment;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has a filter that retains its hashes built anew, in the background, when many of its keys are
 * removed. Thread-safe.
 */
final class SelfRebuild {

  private static final Logger log = LoggerFactory.getLogger(SelfRebuild.class);

  /** As for growing: operators need minutes for problems that do not pass. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** A process that ends sooner would only begin it, and leave it to others. */
  private static final long FIRST_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final FilterContext context;
  private final Rebuilder rebuilder;
  private final Moment opened;
  private final RecurringFailure failure = new RecurringFailure();
  private final AtomicBoolean rebuilding = new AtomicBoolean();
  private volatile @Nullable Moment pausedSince;
  private volatile boolean stopped;

  SelfRebuild(FilterContext context, Rebuilder rebuilder) {
    this.context = context;
    this.rebuilder = rebuilder;
    this.opened = context.time().now();
  }

  /** Takes in a head, and begins the work that it calls for. */
  void heard(FilterHead head) {
    if (isDue(head) && !pausing() && rebuilding.compareAndSet(false, true)) {
      var unused =
          context
              .io()
              .run(this::rebuild)
              .whenComplete(
                  (done, e) -> {
                    rebuilding.set(false);
                    if (e != null) {
                      failed(e);
                    }
                  });
    }
  }

  /** Ends the work of this process. */
  void stop() {
    stopped = true;
  }

  private boolean isDue(FilterHead head) {
    FilterRecord filter = context.filter();
    RemovalRecord removal = filter.removal();
    return removal != null && filter.retainHashes() && removal.callsForRebuild(head) && !stopped;
  }

  private boolean pausing() {
    Moment since = pausedSince;
    return context.time().nanosSince(opened) < FIRST_NANOS
        || (since != null && context.time().nanosSince(since) < PAUSE_NANOS);
  }

  private void rebuild() {
    boolean done = rebuilder.rebuild(context.filter(), () -> stopped);
    // Others may fail at it, too.
    pausedSince = done ? null : context.time().now();
    failure.over();
  }

  private void failed(Throwable thrown) {
    Throwable e =
        thrown instanceof CompletionException && thrown.getCause() != null
            ? thrown.getCause()
            : thrown;
    pausedSince = context.time().now();
    log.debug("filter {} could not be built anew by itself", context.name(), e);
    boolean ended =
        stopped
            || context.isGoneAsExpected(e)
            || e instanceof CancellationException
            || (e instanceof NotStartedException n && n.closed());
    if (!ended && failure.isNews(e)) {
      log.warn(
          "filter {} is not built anew at present; once too many of its keys are removed, no more"
              + " can be: {}",
          context.name(),
          Failures.reason(e));
    }
  }
}
