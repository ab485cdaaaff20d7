package io.github.slotbloom.internal.add;

import io.github.slotbloom.core.WhenFull;
import io.github.slotbloom.internal.background.NotStartedException;
import io.github.slotbloom.internal.background.RecurringFailure;
import io.github.slotbloom.internal.engine.Deadline;
import io.github.slotbloom.internal.engine.FilterContext;
import io.github.slotbloom.internal.failure.Failures;
import io.github.slotbloom.internal.mirror.Moment;
import io.github.slotbloom.internal.store.catalog.FilterHead;
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
 * Lets a filter grow that is set to do so by itself: the next slot table is made in the background
 * when it is nearly full, so that those who find no room left wait for one transaction only.
 *
 * <p>Where it cannot grow, adding goes on, and nobody waits for it again: it is tried in the
 * background, now and then, until it succeeds. Thread-safe.
 */
public final class SelfGrowth {

  private static final Logger log = LoggerFactory.getLogger(SelfGrowth.class);

  /** Operators need minutes; what passes by itself does so in seconds. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(30);

  /**
   * @param generationToken what it could not grow from
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
   * @param mirrored whether this process must be able to hold the filter in memory
   * @param warnAt the share of its capacity from which on the filter is nearly full
   */
  public SelfGrowth(FilterContext context, Grower grower, boolean mirrored, double warnAt) {
    this.context = context;
    this.grower = grower;
    this.mirrored = mirrored;
    this.warnAt = warnAt;
  }

  /** Whether the filter should grow before so many new keys are added, and may be able to. */
  boolean comesBefore(FilterHead head, long newKeys) {
    return newKeys > 0
        && head.whenFull() == WhenFull.GROW
        && lacksRoom(head, newKeys)
        && failedSince(head) == null;
  }

  private static boolean lacksRoom(FilterHead head, long newKeys) {
    return head.keysAdded() + newKeys > head.capacity();
  }

  /**
   * Lets the filter grow, and waits for that: half of the time that is left at most, so that the
   * rest is enough to add the keys all the same.
   *
   * @param head as it was found under its lock, which nobody here holds any more
   */
  void await(FilterHead head, long newKeys, Deadline deadline) throws InterruptedException {
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
   * Hears of a head that was committed, and does in the background what it calls for.
   *
   * @param more new keys there should be room for
   */
  public void heard(FilterHead head, long more) {
    if (head.whenFull() != WhenFull.GROW) {
      return;
    }
    Long from = head.generationToken();
    if (lacksRoom(head, more)) {
      growInBackground(head, more);
    } else if (head.keysAdded() >= warnAt * head.capacity()
        && !from.equals(preparedFrom.getAndSet(from))) {
      var unused =
          begin(() -> prepare(head))
              .exceptionally(
                  e -> {
                    // Nothing was tried: what is heard next begins anew.
                    preparedFrom.set(null);
                    tell(e);
                    return null;
                  });
    }
  }

  /**
   * Hears of a head that nobody here brought about. Lets the filter grow in the background if it
   * holds more keys than it was made for: where it takes all keys for seen, no new key asks for it.
   */
  public void heardUnasked(FilterHead head) {
    if (isOverfull(head)) {
      growInBackground(head, 0);
    }
  }

  /** As {@link #heardUnasked}, and waits as {@link #await} does. */
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

  /** Returns null if it did not fail to grow from that generation. */
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

  /** One after the other: two of a process would only be in each other's way. */
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
    if (!closed && failure.isNews(e)) {
      String reason = Failures.reason(e) + ".";
      log.warn(
          "filter {} cannot grow by itself at present; once it is full its error rate rises above"
              + " {}: {}",
          context.name(),
          context.filter().falsePositiveRate(),
          reason);
      context.listener().growthFailed(context.name(), reason);
    }
  }
}
