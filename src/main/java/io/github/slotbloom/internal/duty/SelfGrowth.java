package io.github.slotbloom.internal.duty;

import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.SlotBloomListener;
import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.internal.background.Background;
import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.failure.RecurringFailure;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.time.Deadline;
import io.github.slotbloom.internal.time.TimeSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Grows a filter that is configured to grow automatically. The next slot table is created in the
 * background when the filter is nearly full, so callers that find no room left wait for one
 * transaction only.
 *
 * <p>If the filter cannot grow, adding goes on, and no caller waits for growth again. The
 * background tries again at intervals until it succeeds. Thread-safe.
 */
public final class SelfGrowth {

  private static final Logger log = LoggerFactory.getLogger(SelfGrowth.class);

  private final FollowedFilter followed;
  private final GenerationMaker generations;
  private final boolean mirrored;
  private final double warnAt;
  private final Background io;
  private final SlotBloomListener listener;
  private final RecurringFailure failure;
  private final AtomicReference<@Nullable Long> preparedFrom = new AtomicReference<>();
  private final AtomicBoolean growing = new AtomicBoolean();

  /** The token of the manifest from which growing failed; null if it did not fail. */
  private volatile @Nullable Long lastFailed;

  private CompletableFuture<Void> newestStep = CompletableFuture.completedFuture(null);

  /**
   * @param options say whether this process must be able to hold the filter in memory, and when it
   *     counts as nearly full
   */
  public SelfGrowth(
      FollowedFilter followed,
      GenerationMaker generations,
      FilterOptions options,
      Background io,
      TimeSource time,
      SlotBloomListener listener) {
    this.followed = followed;
    this.generations = generations;
    this.mirrored = options.mirrored();
    this.warnAt = options.warnAt();
    this.io = io;
    this.listener = listener;
    this.failure =
        new RecurringFailure(
            log,
            time,
            ("filter %s cannot grow automatically right now; once it is full its false"
                    + " positive rate rises above %s")
                .formatted(followed.name(), followed.now().falsePositiveRate()),
            followed::isGoneAsExpected);
  }

  /**
   * Returns true if the filter should grow before it takes this many new keys, and may be able to.
   */
  public boolean mustGrowFirst(FilterHead head, long newKeys) {
    return outgrows(head, newKeys) && !hasFailed(head);
  }

  /** Returns true if the filter is to grow automatically before it takes this many new keys. */
  public static boolean outgrows(FilterHead head, long newKeys) {
    return newKeys > 0 && head.onFull() == OnFull.GROW && lacksRoom(head, newKeys);
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
        failed(head, new IllegalStateException("it takes longer than adds can wait"));
      }
    }
  }

  /**
   * Takes in a committed head, and starts the work that it calls for in the background.
   *
   * @param more how many new keys there should be room for
   */
  public void onCommittedHead(FilterHead head, long more) {
    if (head.onFull() != OnFull.GROW) {
      return;
    }
    Long from = head.manifestToken();
    if (lacksRoom(head, more)) {
      growInBackground(head, more);
    } else if (followed.now().window() == null
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
   * it holds more keys than its capacity. Such a filter may report all keys as seen, and then no
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
    return head.onFull() == OnFull.GROW && lacksRoom(head, 0);
  }

  private void prepare(FilterHead head) {
    try {
      generations.prepare(followed.now(), head.manifestToken(), mirrored);
    } catch (RuntimeException | Error e) {
      tell(e);
    }
  }

  private void growInBackground(FilterHead head, long more) {
    if (!(hasFailed(head) && failure.isPausing()) && growing.compareAndSet(false, true)) {
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

  private boolean hasFailed(FilterHead head) {
    Long failed = lastFailed;
    return failed != null && failed == head.manifestToken();
  }

  private void grow(FilterHead head, long newKeys) {
    generations.grow(followed.now(), head.manifestToken(), newKeys, mirrored);
    lastFailed = null;
    failure.over();
  }

  /**
   * Begins a step after the one before. Two steps of one process would only get in each other's
   * way.
   */
  private synchronized CompletableFuture<Void> begin(Runnable step) {
    newestStep = newestStep.exceptionally(e -> null).thenCompose(before -> io.run(step));
    return newestStep;
  }

  private void failed(FilterHead head, Throwable thrown) {
    lastFailed = head.manifestToken();
    tell(thrown);
  }

  private void tell(Throwable e) {
    String name = followed.name().value();
    failure.tell(e, why -> listener.on(new SlotBloomEvent.GrowthFailed(name, why)));
  }
}
