package io.github.slotbloom.internal.duty;

import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.core.WhenFull;
import io.github.slotbloom.internal.background.NotStartedException;
import io.github.slotbloom.internal.background.RecurringFailure;
import io.github.slotbloom.internal.context.FilterContext;
import io.github.slotbloom.internal.failure.Failures;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.time.Deadline;
import io.github.slotbloom.internal.time.Moment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Grows a filter that is configured to grow by itself. The next slot table is made in the
 * background when the filter is nearly full, so callers that find no room left wait for one
 * transaction only.
 *
 * <p>If the filter cannot grow, adding goes on, and no caller waits for growth again. The
 * background tries again at intervals until it succeeds. Thread-safe.
 */
public final class SelfGrowth {

  private static final Logger log = LoggerFactory.getLogger(SelfGrowth.class);

  /**
   * A problem that passes by itself does so in seconds, and operators need minutes for the others.
   */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(30);

  /**
   * A failed attempt to grow.
   *
   * @param generationToken the token of the generation from which growing failed
   */
  private record Failed(long generationToken, Moment at) {}

  private final FilterContext context;
  private final Grower grower;
  private final boolean mirrored;
  private final double warnAt;
  private final RecurringFailure failure = new RecurringFailure();
  private final AtomicReference<@Nullable Long> preparedFrom = new AtomicReference<>();
  private final AtomicBoolean growing = new AtomicBoolean();
  private volatile @Nullable Failed lastFailed;
  private CompletableFuture<Void> newestStep = CompletableFuture.completedFuture(null);

  /**
   * Creates the growth of one filter.
   *
   * @param mirrored true if this process must be able to hold the filter in memory
   * @param warnAt the share of its capacity at which the filter counts as nearly full
   */
  public SelfGrowth(FilterContext context, Grower grower, boolean mirrored, double warnAt) {
    this.context = context;
    this.grower = grower;
    this.mirrored = mirrored;
    this.warnAt = warnAt;
  }

  /**
   * Returns true if the filter should grow before it takes this many new keys, and may be able to.
   */
  public boolean mustGrowFirst(FilterHead head, long newKeys) {
    return outgrows(head, newKeys) && failedSince(head) == null;
  }

  /** Returns true if the filter is to grow by itself before it takes this many new keys. */
  public static boolean outgrows(FilterHead head, long newKeys) {
    return newKeys > 0 && head.whenFull() == WhenFull.GROW && lacksRoom(head, newKeys);
  }

  private static boolean lacksRoom(FilterHead head, long newKeys) {
    return head.keysSet() + newKeys > head.capacity();
  }

  /**
   * Lets the filter grow, and waits for it. The wait takes at most half of the time left, so the
   * rest is enough to add the keys in any case.
   *
   * @param head the head as found under its lock, which this process no longer holds
   */
  public void await(FilterHead head, long newKeys, Deadline deadline) throws InterruptedException {
    CompletableFuture<Void> grown = begin(() -> grow(head, newKeys));
    try {
      grown.get(Math.max(0, deadline.remainingNanos() / 2), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      failed(head, e.getCause() == null ? e : e.getCause());
    } catch (TimeoutException e) {
      if (!grown.isDone()) {
        failed(head, new IllegalStateException("it takes longer than those who add can wait"));
      }
    }
  }

  /**
   * Takes in a committed head, and starts the work that it calls for in the background.
   *
   * @param more how many new keys there should be room for
   */
  public void onCommittedHead(FilterHead head, long more) {
    if (head.whenFull() != WhenFull.GROW) {
      return;
    }
    Long from = head.generationToken();
    if (lacksRoom(head, more)) {
      growInBackground(head, more);
    } else if (context.filter().window() == null
        // Windows have a table ahead in any case.
        && head.keysSet() >= warnAt * head.capacity()
        && !from.equals(preparedFrom.getAndSet(from))) {
      var unused =
          begin(() -> prepare(head))
              .exceptionally(
                  e -> {
                    // Nothing was tried, so the next head starts the preparation again.
                    preparedFrom.set(null);
                    tell(e);
                    return null;
                  });
    }
  }

  /**
   * Takes in a head that no add of this process produced. Lets the filter grow in the background if
   * it holds more keys than it was made for. Such a filter may take all keys for seen, and then no
   * new key asks it to grow.
   */
  public void onPolledHead(FilterHead head) {
    if (isOverfull(head)) {
      growInBackground(head, 0);
    }
  }

  /** Does the same as {@link #onPolledHead}, and waits as {@link #await} does. */
  public void awaitIfOverfull(FilterHead head, Deadline deadline) {
    if (!isOverfull(head)) {
      return;
    }
    try {
      await(head, 0, deadline);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static boolean isOverfull(FilterHead head) {
    return head.whenFull() == WhenFull.GROW && lacksRoom(head, 0);
  }

  private void prepare(FilterHead head) {
    try {
      grower.prepare(context.filter(), head.generationToken(), mirrored);
    } catch (RuntimeException | Error e) {
      tell(e);
    }
  }

  private void growInBackground(FilterHead head, long more) {
    if (!pausing(head) && growing.compareAndSet(false, true)) {
      var unused =
          begin(() -> grow(head, more))
              .whenComplete(
                  (done, e) -> {
                    growing.set(false);
                    if (e != null) {
                      failed(head, e);
                    }
                  });
    }
  }

  /** Returns when growing from that generation last failed; null if it did not fail. */
  private @Nullable Moment failedSince(FilterHead head) {
    Failed failed = lastFailed;
    return failed != null && failed.generationToken() == head.generationToken()
        ? failed.at()
        : null;
  }

  private boolean pausing(FilterHead head) {
    Moment failed = failedSince(head);
    return failed != null && context.time().nanosSince(failed) < PAUSE_NANOS;
  }

  private void grow(FilterHead head, long newKeys) {
    grower.grow(context.filter(), head.generationToken(), newKeys, mirrored);
    lastFailed = null;
    failure.over();
  }

  /**
   * Begins a step after the one before. Two steps of one process would only get in each other's
   * way.
   */
  private synchronized CompletableFuture<Void> begin(Runnable step) {
    newestStep = newestStep.exceptionally(e -> null).thenCompose(before -> context.io().run(step));
    return newestStep;
  }

  private void failed(FilterHead head, Throwable thrown) {
    lastFailed = new Failed(head.generationToken(), context.time().now());
    tell(thrown);
  }

  private void tell(Throwable thrown) {
    Throwable e =
        thrown instanceof CompletionException && thrown.getCause() != null
            ? thrown.getCause()
            : thrown;
    log.debug("filter {} could not grow by itself", context.name(), e);
    boolean closed = e instanceof NotStartedException refused && refused.closed();
    if (!closed && !context.isGoneAsExpected(e) && failure.isNews(e)) {
      String reason = Failures.reason(e) + ".";
      log.warn(
          "filter {} cannot grow by itself at present; once it is full its error rate rises above"
              + " {}: {}",
          context.name(),
          context.filter().falsePositiveRate(),
          reason);
      context.listener().on(new SlotBloomEvent.GrowthFailed(context.name().value(), reason));
    }
  }
}
