package io.github.slotbloom.internal.duty;

import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.internal.background.BackgroundTask;
import io.github.slotbloom.internal.background.NotStartedException;
import io.github.slotbloom.internal.background.RecurringFailure;
import io.github.slotbloom.internal.context.FilterContext;
import io.github.slotbloom.internal.failure.Failures;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import io.github.slotbloom.internal.time.Moment;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Begins the buckets of a window as time passes, and makes the table for the next one ahead, in the
 * background. Only processes that add do so: whoever asks passes over keys that expired.
 *
 * <p>A failure is told, and tried again after a while. Until then adds begin a bucket themselves.
 * Thread-safe.
 */
public final class SelfRotation {

  private static final Logger log = LoggerFactory.getLogger(SelfRotation.class);

  /** As for growing: operators need minutes for problems that do not pass. */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final FilterContext context;
  private final Rotator rotator;
  private final BackgroundTask task;
  private final RecurringFailure failure = new RecurringFailure();
  private volatile boolean adds;
  private volatile long newest = FilterHead.NO_BUCKET;
  private volatile long bucketNow = Long.MIN_VALUE;
  private volatile @Nullable Long preparedFor;
  private volatile @Nullable Moment failedAt;

  /** Creates the rotation of one filter. */
  public SelfRotation(FilterContext context, Rotator rotator) {
    this.context = context;
    this.rotator = rotator;
    this.task =
        new BackgroundTask(
            "beginning buckets of filter " + context.name(), context.io(), this::work, e -> {});
  }

  /** Begins the present bucket now. The caller holds neither the lock nor a connection. */
  public void rotate() {
    rotator.rotate(context.filter());
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
   * @param now the bucket that the clock of the database is in, or an earlier one
   */
  public void onPulse(FilterHead head, long now) {
    bucketNow = now;
    if (adds) {
      heard(head);
    }
  }

  private void heard(FilterHead head) {
    newest = head.bucket();
    if (context.filter().window() != null && isDue(head) && !pausing()) {
      task.requestUnlessRunning();
    }
  }

  private boolean isDue(FilterHead head) {
    Long prepared = preparedFor;
    return head.bucket() < bucketNow || prepared == null || prepared != head.generationToken();
  }

  private boolean pausing() {
    Moment at = failedAt;
    return at != null && context.time().nanosSince(at) < PAUSE_NANOS;
  }

  private void work() {
    try {
      if (newest < bucketNow) {
        rotator.rotate(context.filter());
      }
      preparedFor = rotator.prepare(context.filter());
      failedAt = null;
      failure.over();
    } catch (RuntimeException | Error e) {
      failedAt = context.time().now();
      tell(e);
    }
  }

  private void tell(Throwable e) {
    log.debug("filter {} could not begin its next bucket", context.name(), e);
    boolean closed = e instanceof NotStartedException refused && refused.closed();
    if (!closed && !isBusy(e) && !context.isGoneAsExpected(e) && failure.isNews(e)) {
      String reason = Failures.reason(e) + ".";
      log.warn(
          "filter {} cannot prepare its next bucket at present; without it keys live longer: {}",
          context.name(),
          reason);
      context.listener().on(new SlotBloomEvent.RotationFailed(context.name().value(), reason));
    }
  }

  /** Returns true if somebody else adds, does the same, or clears the filter. */
  private static boolean isBusy(Throwable e) {
    return e instanceof FilterUnavailableException
        && !(e.getCause() instanceof DatabaseFailure f && !f.lockWaitTimeout());
  }
}
