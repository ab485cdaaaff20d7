package io.github.slotbloom.internal.duty;

import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.SlotBloomListener;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.internal.background.Background;
import io.github.slotbloom.internal.background.BackgroundTask;
import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.failure.RecurringFailure;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import io.github.slotbloom.internal.time.TimeSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Begins the buckets of a window as time passes, and creates the table for the next one ahead, in
 * the background. Only processes that add do so: whoever asks passes over keys that expired.
 *
 * <p>A failure is told, and tried again after a while. Until then adds begin a bucket themselves.
 * Thread-safe.
 */
public final class SelfRotation {

  private static final Logger log = LoggerFactory.getLogger(SelfRotation.class);

  private final FollowedFilter followed;
  private final GenerationMaker generations;
  private final SlotBloomListener listener;
  private final Runnable sweepSoon;
  private final BackgroundTask task;
  private final RecurringFailure failure;
  private volatile boolean adds;
  private volatile long newest = FilterHead.NO_BUCKET;
  private volatile long bucketNow = Long.MIN_VALUE;
  private volatile @Nullable Long preparedFor;

  /**
   * @param sweepSoon has the tables of buckets that expired dropped: a process may well end before
   *     it would do so automatically
   */
  public SelfRotation(
      FollowedFilter followed,
      GenerationMaker generations,
      Background io,
      TimeSource time,
      SlotBloomListener listener,
      Runnable sweepSoon) {
    this.followed = followed;
    this.generations = generations;
    this.listener = listener;
    this.sweepSoon = sweepSoon;
    this.task =
        new BackgroundTask(
            "beginning buckets of filter " + followed.name(), io, this::work, e -> {});
    this.failure =
        new RecurringFailure(
            log,
            time,
            "filter %s cannot prepare its next bucket right now, so its keys live longer"
                .formatted(followed.name()),
            e -> isBusy(e) || followed.isGoneAsExpected(e));
  }

  /** Begins the current bucket now. The caller holds neither the lock nor a connection. */
  public void rotate() {
    generations.rotate(followed.now());
    preparedFor = null;
    task.requestUnlessRunning();
  }

  /**
   * Takes in that this process adds keys in transactions of its callers. Nobody tells it the heads
   * that they leave, so it goes by those that are polled.
   */
  public void onCallersTransaction() {
    adds = true;
  }

  /** Takes in that this process added keys, and the head that it left. */
  public void onCommittedHead(FilterHead head) {
    adds = true;
    heard(head);
  }

  /**
   * Takes in a head that was heard of.
   *
   * @param now the bucket that the database clock is in, or an earlier one
   */
  public void onPulse(FilterHead head, long now) {
    bucketNow = now;
    if (adds) {
      heard(head);
    }
  }

  private void heard(FilterHead head) {
    newest = head.bucket();
    if (followed.now().window() != null && isDue(head) && !failure.isPausing()) {
      task.requestUnlessRunning();
    }
  }

  private boolean isDue(FilterHead head) {
    Long prepared = preparedFor;
    return head.bucket() < bucketNow || prepared == null || prepared != head.manifestToken();
  }

  private void work() {
    try {
      if (newest < bucketNow) {
        generations.rotate(followed.now());
      }
      preparedFor = generations.prepareBucket(followed.now());
      sweepSoon.run();
      failure.over();
    } catch (RuntimeException | Error e) {
      String name = followed.name().value();
      failure.tell(e, why -> listener.on(new SlotBloomEvent.RotationFailed(name, why)));
    }
  }

  /** Returns true if somebody else adds, does the same, or clears the filter. */
  private static boolean isBusy(Throwable e) {
    return e instanceof FilterUnavailableException
        && !(e.getCause() instanceof DatabaseFailure f && !f.lockWaitTimeout());
  }
}
