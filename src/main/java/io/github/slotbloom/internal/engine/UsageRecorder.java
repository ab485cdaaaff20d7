package io.github.slotbloom.internal.engine;

import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.internal.background.BackgroundTask;
import io.github.slotbloom.internal.background.RecurringFailure;
import io.github.slotbloom.internal.context.FilterContext;
import io.github.slotbloom.internal.mirror.FilterNotReady;
import io.github.slotbloom.internal.store.catalog.UsageRows;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.time.Moment;
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

  private final FilterContext context;
  private final Tally tally;
  private final BackgroundTask task;
  private final RecurringFailure failure = new RecurringFailure();
  private volatile Moment tried;
  private volatile long intervalNanos = INTERVAL_NANOS;
  private FilterUsage told = FilterUsage.NONE;
  private long epoch;

  UsageRecorder(FilterContext context, Tally tally) {
    this.context = context;
    this.tally = tally;
    // If the task does not begin, the counts are recorded with the next interval.
    this.task =
        new BackgroundTask(
            "recording the usage of filter " + context.name(),
            context.io(),
            this::tellNow,
            e -> {});
    this.tried = context.time().now();
    this.epoch = context.filter().head().epoch();
  }

  /**
   * Records the counts if it is time. Call it more often than counts are recorded. Does not wait
   * for the database.
   */
  void tick() {
    if (context.time().nanosSince(tried) >= intervalNanos) {
      tell();
    }
  }

  /** Records the counts that were not recorded yet. Does not wait for the database. */
  void tell() {
    tried = context.time().now();
    task.request();
  }

  private void tellNow() {
    FilterUsage now = tally.usage();
    if (now.equals(told)) {
      return;
    }
    try {
      Optional<Long> epochNow = context.database().transact(tx -> tell(tx, now));
      if (epochNow.isPresent()) {
        epoch = epochNow.get();
        told = now;
      }
      failure.over();
      intervalNanos = INTERVAL_NANOS;
    } catch (FilterNotReady | FilterNotFoundException e) {
      log.debug("filter {} is gone, and nobody asks how it was used", context.name(), e);
    } catch (RuntimeException | Error e) {
      if (e instanceof DatabaseFailure lost && lost.outcomeUnknown()) {
        told = now;
      } else {
        // If the account or the server may only read, each attempt costs a pool its connection.
        intervalNanos = Math.min(LONGEST_INTERVAL_NANOS, 2 * intervalNanos);
      }
      if (failure.isNews(e)) {
        log.warn("the usage of filter {} was not recorded: {}", context.name(), e.getMessage());
      }
      log.debug("recording usage failed", e);
    }
  }

  /**
   * Adds the counts. Questions around the time of a clear count for the time before it, so that no
   * old question is taken for a new one.
   *
   * @return the epoch now; empty if another process holds the row
   */
  private Optional<Long> tell(Tx tx, FilterUsage now) {
    FilterRecord filter = context.requireUnchanged(tx);
    return UsageRows.add(tx, filter.id(), epoch, now.since(told))
        ? Optional.of(filter.head().epoch())
        : Optional.empty();
  }
}
