package io.github.slotbloom.engine;

import io.github.slotbloom.mirror.FilterNotReady;
import io.github.slotbloom.mirror.Moment;
import io.github.slotbloom.report.FilterUsage;
import io.github.slotbloom.store.DatabaseFailure;
import io.github.slotbloom.store.FilterRecord;
import io.github.slotbloom.store.Tx;
import io.github.slotbloom.store.UsageRows;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Now and then, and when the filter is closed, adds what this process counted to {@code
 * bloom_usage}. Nothing depends on it: what cannot be told is logged once, and what may have been
 * told already is not told again.
 */
final class UsageRecorder {

  private static final Logger log = LoggerFactory.getLogger(UsageRecorder.class);
  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final FilterContext context;
  private final Tally tally;
  private final UsageRows rows = new UsageRows();
  private final RecurringFailure failure = new RecurringFailure();
  private volatile Moment tried;
  private FilterUsage told = FilterUsage.NONE;

  UsageRecorder(FilterContext context, Tally tally) {
    this.context = context;
    this.tally = tally;
    this.tried = context.time().now();
  }

  /** To be called more often than anything is told. Does not wait for the database. */
  void tick() {
    if (context.time().nanosSince(tried) >= INTERVAL_NANOS) {
      tell();
    }
  }

  /** Tells what was not told yet. Does not wait for the database. */
  void tell() {
    tried = context.time().now();
    try {
      context.io().execute(this::tellNow);
    } catch (RejectedExecutionException e) {
      log.trace("closed before the usage of filter {} was told", context.name(), e);
    }
  }

  private synchronized void tellNow() {
    FilterUsage now = tally.usage();
    if (now.equals(told)) {
      return;
    }
    try {
      context.database().transact(tx -> tell(tx, now.since(told)));
      told = now;
      failure.over();
    } catch (FilterNotReady e) {
      log.debug("the usage of filter {} has no filter any more", context.name(), e);
    } catch (RuntimeException e) {
      if (e instanceof DatabaseFailure f && f.outcomeUnknown()) {
        told = now;
      }
      if (failure.isNews(e)) {
        log.warn("the usage of filter {} was not recorded: {}", context.name(), e.getMessage());
      }
    }
  }

  private boolean tell(Tx tx, FilterUsage usage) {
    FilterRecord filter = context.requireUnchanged(tx);
    rows.add(tx, filter.id(), filter.head().epoch(), usage);
    return true;
  }
}
