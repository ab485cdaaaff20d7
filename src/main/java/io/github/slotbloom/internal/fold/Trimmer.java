package io.github.slotbloom.internal.fold;

import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.internal.background.BackgroundTask;
import io.github.slotbloom.internal.background.NotStartedException;
import io.github.slotbloom.internal.context.FilterContext;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.journal.FoldRows;
import io.github.slotbloom.internal.store.journal.FoldState;
import io.github.slotbloom.internal.store.journal.JournalTrimming;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.time.Moment;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes journal entries that are folded and older than the retention, at intervals. */
public final class Trimmer {

  private static final Logger log = LoggerFactory.getLogger(Trimmer.class);

  private static final int ROWS_PER_TRANSACTION = 1000;
  private static final long INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long BUSY_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final FilterContext context;
  private final Compaction compaction;
  private final RemovedPurge purge;
  private final BackgroundTask task;
  private volatile Moment tried;
  private volatile long pauseNanos = INTERVAL_NANOS;

  public Trimmer(FilterContext context) {
    this.context = context;
    this.compaction = new Compaction(context);
    this.purge = new RemovedPurge(context);
    this.task =
        new BackgroundTask(
            "trimming the journal of filter " + context.name(),
            context.io(),
            this::trimAll,
            this::notBegun);
    this.tried = context.time().now();
  }

  /**
   * Trims if it is time. Call it more often than anything is trimmed. Does not wait for the
   * database.
   */
  public void tick() {
    if (context.time().nanosSince(tried) >= pauseNanos) {
      task.requestUnlessRunning();
    }
  }

  private void notBegun(NotStartedException e) {
    tried = context.time().now();
    pauseNanos = BUSY_INTERVAL_NANOS;
  }

  private void trimAll() {
    tried = context.time().now();
    try {
      boolean done = context.filter().retainHashes() ? compaction.run() : deleteAll();
      done &= purge.run();
      pauseNanos = done ? INTERVAL_NANOS : BUSY_INTERVAL_NANOS;
    } catch (RuntimeException | Error e) {
      // Whoever uses a filter that was renamed is told its new name.
      if (!(e instanceof FilterNotFoundException) && !context.isGoneAsExpected(e)) {
        log.warn("trimming the journal of filter {} failed: {}", context.name(), e.getMessage());
      }
      log.debug("trimming failed", e);
    }
  }

  /** Returns false while another process folds. */
  private boolean deleteAll() {
    Optional<Integer> deleted;
    do {
      deleted = context.database().transact(this::trimSome);
    } while (deleted.isPresent() && deleted.get() == ROWS_PER_TRANSACTION);
    return deleted.isPresent();
  }

  /**
   * Returns the last entry that may be removed. Entries that are not folded stay. While the filter
   * is replaced, entries written since the replacement began stay as well: the keys added meanwhile
   * show how much of the other keys the source has.
   */
  private long lastToGo(Tx tx, FoldState state) {
    GenerationRecord target = context.requireUnchanged(tx).set().target();
    return target == null ? state.foldedSeq() : Math.min(state.foldedSeq(), target.sinceSeq() - 1);
  }

  /** Returns how many rows were deleted; empty while another process folds. */
  private Optional<Integer> trimSome(Tx tx) {
    return FoldRows.tryLock(tx, context.id())
        .map(
            state ->
                JournalTrimming.trim(
                    tx,
                    context.id(),
                    lastToGo(tx, state),
                    context.filter().retention(),
                    ROWS_PER_TRANSACTION));
  }
}
