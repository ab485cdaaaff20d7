package io.github.slotbloom.internal.engine;

import io.github.slotbloom.internal.background.Background;
import io.github.slotbloom.internal.background.BackgroundTask;
import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.failure.RecurringFailure;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.RemovalRecord;
import io.github.slotbloom.internal.time.Moment;
import io.github.slotbloom.internal.time.TimeSource;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has a filter that retains its hashes rebuilt, in the background, when many of its keys are
 * removed. Thread-safe.
 */
final class SelfRebuild {

  private static final Logger log = LoggerFactory.getLogger(SelfRebuild.class);

  /** A process that ends sooner would only begin it, and leave it to others. */
  private static final long FIRST_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final FollowedFilter followed;
  private final Rebuilder rebuilder;
  private final TimeSource time;
  private final Moment opened;
  private final RecurringFailure failure;
  private final BackgroundTask task;
  private volatile boolean stopped;

  SelfRebuild(FollowedFilter followed, Rebuilder rebuilder, Background io, TimeSource time) {
    this.followed = followed;
    this.rebuilder = rebuilder;
    this.time = time;
    this.opened = time.now();
    // If the task does not begin, the next heartbeat asks for it again.
    this.task =
        new BackgroundTask("rebuilding filter " + followed.name(), io, this::rebuild, e -> {});
    this.failure =
        new RecurringFailure(
            log,
            time,
            ("filter %s cannot be rebuilt right now; once too many of its keys are removed, further"
                    + " removals are rejected")
                .formatted(followed.name()),
            e -> stopped || e instanceof CancellationException || followed.isGoneAsExpected(e));
  }

  /** Takes in a head, and begins the work that it calls for. */
  void heard(FilterHead head) {
    if (isDue(head) && !failure.isPausing() && time.nanosSince(opened) >= FIRST_NANOS) {
      task.requestUnlessRunning();
    }
  }

  void stop() {
    stopped = true;
  }

  private boolean isDue(FilterHead head) {
    FilterRecord filter = followed.now();
    RemovalRecord removal = filter.removal();
    return removal != null && filter.retainHashes() && removal.callsForRebuild(head) && !stopped;
  }

  private void rebuild() {
    try {
      boolean done = rebuilder.rebuild(followed.now(), () -> stopped);
      failure.over();
      if (!done) {
        // Others may fail at it, too, and the first write to an imported filter may come.
        failure.pause();
      }
    } catch (RuntimeException | Error e) {
      failure.tell(e);
    }
  }
}
