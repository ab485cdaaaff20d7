package io.github.slotbloom.internal.fold;

import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.internal.background.Background;
import io.github.slotbloom.internal.background.BackgroundTask;
import io.github.slotbloom.internal.background.NotStartedException;
import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.failure.RecurringFailure;
import io.github.slotbloom.internal.mirror.FilterNotReady;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.journal.FoldRows;
import io.github.slotbloom.internal.store.journal.FoldState;
import io.github.slotbloom.internal.store.journal.JournalTrimming;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.time.Moment;
import io.github.slotbloom.internal.time.TimeSource;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes at intervals what is no longer of use: journal entries that are folded and older than the
 * retention, and tables that are left.
 */
public final class Trimmer {

  private static final Logger log = LoggerFactory.getLogger(Trimmer.class);

  private static final int ROWS_PER_TRANSACTION = 1000;
  private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long BUSY_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final FollowedFilter followed;
  private final Database database;
  private final TimeSource time;
  private final Compaction compaction;
  private final RemovedPurge purge;
  private final LeftTables leftTables;
  private final RecurringFailure trimFailure;
  private final RecurringFailure sweepFailure;
  private final BackgroundTask task;
  private final BackgroundTask sweepTask;
  private volatile Moment tried;
  private volatile long pauseNanos = INTERVAL_NANOS;

  public Trimmer(FollowedFilter followed, Database database, Background io, TimeSource time) {
    this.followed = followed;
    this.database = database;
    this.time = time;
    this.compaction = new Compaction(followed, database::transact);
    this.purge = new RemovedPurge(followed, database::transact);
    this.leftTables = new LeftTables(followed, database::transact);
    this.task =
        new BackgroundTask(
            "trimming the journal of filter " + followed.name(), io, this::trimAll, this::notBegun);
    this.sweepTask =
        new BackgroundTask(
            "dropping tables of filter " + followed.name(), io, this::sweep, e -> {});
    this.trimFailure = recurring("trimming the journal of filter %s failed");
    this.sweepFailure = recurring("dropping the tables that filter %s left failed");
    this.tried = time.now();
  }

  private RecurringFailure recurring(String message) {
    return new RecurringFailure(
        log,
        time,
        message.formatted(followed.name()),
        // Whoever uses a filter that is gone or was renamed is told so.
        e ->
            e instanceof FilterNotFoundException
                || e instanceof FilterNotReady
                || followed.isGoneAsExpected(e));
  }

  /**
   * Trims if it is time. Call it more often than anything is trimmed. Does not wait for the
   * database.
   */
  public void tick() {
    if (time.nanosSince(tried) >= pauseNanos) {
      task.requestUnlessRunning();
    }
  }

  /** Drops tables that are left soon, even if it is not time to trim. */
  public void sweepSoon() {
    sweepTask.requestUnlessRunning();
  }

  private void notBegun(NotStartedException e) {
    tried = time.now();
    pauseNanos = BUSY_INTERVAL_NANOS;
  }

  private void trimAll() {
    tried = time.now();
    trim();
    sweep();
  }

  private void trim() {
    try {
      boolean done = followed.now().retainHashes() ? compaction.run() : deleteAll();
      done &= purge.run();
      pauseNanos = done ? INTERVAL_NANOS : BUSY_INTERVAL_NANOS;
      trimFailure.over();
    } catch (RuntimeException | Error e) {
      trimFailure.tell(e);
    }
  }

  private void sweep() {
    try {
      leftTables.sweep();
      sweepFailure.over();
    } catch (DatabaseFailure e) {
      if (!e.denied()) {
        sweepFailure.tell(e);
      } else if (sweepFailure.isNews(e)) {
        log.warn(
            "filter {} has tables that it no longer uses, and this account cannot drop them: {}."
                + " Grant DROP, or have an operator drop them (slotbloom grow {} --abort)",
            followed.name(),
            e.getMessage(),
            followed.name());
      }
    } catch (RuntimeException | Error e) {
      sweepFailure.tell(e);
    }
  }

  /** Returns false while another process folds. */
  private boolean deleteAll() {
    Optional<Integer> deleted;
    do {
      deleted = database.transact(this::trimSome);
    } while (deleted.isPresent() && deleted.get() == ROWS_PER_TRANSACTION);
    return deleted.isPresent();
  }

  /**
   * Returns the last entry that may be removed. Entries that are not folded stay. While the filter
   * is replaced, entries written since the replacement began stay as well: the keys added meanwhile
   * show how much of the other keys the source has.
   */
  private static long lastToGo(FilterRecord filter, FoldState state) {
    GenerationRecord target = filter.manifest().target();
    return target == null ? state.foldedSeq() : Math.min(state.foldedSeq(), target.sinceSeq() - 1);
  }

  /** Returns how many rows were deleted; empty while another process folds. */
  private Optional<Integer> trimSome(Tx tx) {
    return FoldRows.tryLock(tx, followed.id())
        .map(
            state -> {
              FilterRecord filter = followed.requireUnchanged(tx);
              return JournalTrimming.trim(
                  tx, filter, lastToGo(filter, state), ROWS_PER_TRANSACTION);
            });
  }
}
