package io.github.slotbloom.internal.engine;

import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.internal.background.Background;
import io.github.slotbloom.internal.background.BackgroundTask;
import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.failure.RecurringFailure;
import io.github.slotbloom.internal.mirror.FilterNotReady;
import io.github.slotbloom.internal.store.catalog.UsageRows;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.time.Moment;
import io.github.slotbloom.internal.time.TimeSource;
import io.github.slotbloom.report.FilterUsage;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds the counts of this process to {@code bloom_usage}, at intervals and when the filter is
 * closed. Nothing depends on it. A failure is logged once, and counts that may have been recorded
 * already are not recorded again.
 */
final class UsageRecorder {

  private static final Logger log = LoggerFactory.getLogger(UsageRecorder.class);
  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long LONGEST_INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(30);

  private final FollowedFilter followed;
  private final Tally tally;
  private final Database database;
  private final TimeSource time;
  private final BackgroundTask task;
  private final RecurringFailure failure;
  private volatile Moment tried;
  private volatile long intervalNanos = INTERVAL_NANOS;
  private FilterUsage told = FilterUsage.NONE;
  private long epoch;

  UsageRecorder(
      FollowedFilter followed, Tally tally, Database database, Background io, TimeSource time) {
    this.followed = followed;
    this.tally = tally;
    this.database = database;
    this.time = time;
    // If the task does not begin, the counts are recorded with the next interval.
    this.task =
        new BackgroundTask(
            "recording the usage of filter " + followed.name(), io, this::tellNow, e -> {});
    this.failure =
        new RecurringFailure(
            log,
            time,
            "the usage of filter " + followed.name() + " was not recorded",
            // Nobody asks how a filter was used that is gone.
            e -> e instanceof FilterNotReady || e instanceof FilterNotFoundException);
    this.tried = time.now();
    this.epoch = followed.now().head().epoch();
  }

  /**
   * Records the counts if it is time. Call it more often than counts are recorded. Does not wait
   * for the database.
   */
  void tick() {
    if (time.nanosSince(tried) >= intervalNanos) {
      tell();
    }
  }

  /** Records the counts that were not recorded yet. Does not wait for the database. */
  void tell() {
    tried = time.now();
    task.request();
  }

  private void tellNow() {
    FilterUsage now = tally.usage();
    if (now.equals(told)) {
      return;
    }
    try {
      Optional<Long> epochNow = database.transact(tx -> tell(tx, now));
      if (epochNow.isPresent()) {
        epoch = epochNow.get();
        told = now;
      }
      failure.over();
      intervalNanos = INTERVAL_NANOS;
    } catch (RuntimeException | Error e) {
      if (e instanceof DatabaseFailure lost && lost.outcomeUnknown()) {
        told = now;
      } else {
        // If the account or the server may only read, each attempt costs a pool its connection.
        intervalNanos = Math.min(LONGEST_INTERVAL_NANOS, 2 * intervalNanos);
      }
      failure.tell(e);
    }
  }

  /**
   * Adds the counts. Lookups around the time of a clear count for the time before it, so that no
   * old lookup is taken for a new one.
   *
   * @return the epoch now; empty if another process holds the row
   */
  private Optional<Long> tell(Tx tx, FilterUsage now) {
    FilterRecord filter = followed.requireUnchanged(tx);
    return UsageRows.add(tx, filter.id(), epoch, now.since(told))
        ? Optional.of(filter.head().epoch())
        : Optional.empty();
  }
}
