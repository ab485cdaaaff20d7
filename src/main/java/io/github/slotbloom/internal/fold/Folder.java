package io.github.slotbloom.internal.fold;

import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.internal.add.Backlog;
import io.github.slotbloom.internal.background.BackgroundTask;
import io.github.slotbloom.internal.background.RecurringFailure;
import io.github.slotbloom.internal.engine.Deadline;
import io.github.slotbloom.internal.engine.FilterContext;
import io.github.slotbloom.internal.engine.Waiting;
import io.github.slotbloom.internal.mirror.FilterNotReady;
import io.github.slotbloom.internal.store.RemovedRows;
import io.github.slotbloom.internal.store.Tx;
import io.github.slotbloom.internal.store.catalog.FilterHead;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import io.github.slotbloom.internal.store.catalog.GenerationRecord;
import io.github.slotbloom.internal.store.catalog.RemovalRecord;
import io.github.slotbloom.internal.store.journal.FoldRows;
import io.github.slotbloom.internal.store.journal.FoldState;
import io.github.slotbloom.internal.store.journal.TailReader;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.DoubleConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Folds the journal into the slots. Any process may fold. The row of the filter in {@code
 * bloom_fold} lets one process fold at a time.
 *
 * <p>Merging pays off: the more entries a batch takes, the more of their bits fall into the same
 * rows. {@link FoldPace} says how long to wait for more.
 *
 * <p>A large batch is written in several transactions, so that nobody waits long for the fold row
 * and no transaction is too large for a replica. Only the last transaction marks the entries as
 * folded. If the last one never happens, another process folds the entries again. The bits stay the
 * same, and until then the journal holds the entries as well. Each part leaves a mark in the fold
 * row, and the next part continues only from the mark of the one before. So if a failover loses a
 * part of a batch, it is written again.
 */
public final class Folder {

  private static final Logger log = LoggerFactory.getLogger(Folder.class);

  /** The next part of a batch begins within milliseconds, or after a short pause. */
  private static final Duration QUIET = Duration.ofMillis(200);

  /** The result of a step. */
  private enum Step {
    NOTHING_DONE,
    /** Another process folds. */
    HELD_UP,
    MORE_TO_DO,
    BATCH_FOLDED
  }

  /**
   * A step that was made.
   *
   * @param committed takes in the results once the transaction is committed
   */
  private record Stepped(Step step, Runnable committed) {
    static final Stepped NOTHING_DONE = new Stepped(Step.NOTHING_DONE);
    static final Stepped HELD_UP = new Stepped(Step.HELD_UP);
    static final Stepped GATHERED = new Stepped(Step.MORE_TO_DO);

    private Stepped(Step step) {
      this(step, () -> {});
    }
  }

  private final FilterContext context;
  private final Backlog backlog;
  private final Map<GenerationRecord, FoldTarget> tables = new HashMap<>();
  private final BackgroundTask task;
  private final RecurringFailure failure = new RecurringFailure();
  private final ReentrantLock stepping = new ReentrantLock();
  private @Nullable FoldBatch batch;
  private @Nullable FoldState lastSeen;
  private long seenSince;
  private volatile double reached;
  private final FoldPace pace;

  /**
   * Creates a folder for a filter that need not be open. Nobody waits for its backlog to become
   * shorter.
   */
  public Folder(FilterContext context) {
    this(context, new Backlog(Long.MAX_VALUE));
  }

  public Folder(FilterContext context, Backlog backlog) {
    this.context = context;
    this.backlog = backlog;
    this.pace = new FoldPace(context.time(), backlog);
    // If the task does not begin, the heartbeat sees the backlog and comes back.
    this.task =
        new BackgroundTask(
            "folding filter " + context.name(), context.io(), this::foldInBackground, e -> {});
  }

  /** Takes in how many keys this process appended, and folds them when it is time. */
  public void appended(long keys) {
    pace.appended(keys);
    nudge();
  }

  /** Takes in that this process adds no more keys, and folds what waits, in the background. */
  public void closing() {
    pace.closing();
    if (backlog.lastSeq() > backlog.foldedSeq()) {
      nudge();
    }
  }

  /** Folds what waits, in the background, when it is time. */
  public void nudge() {
    task.requestIn(FoldPace.LOOK_NANOS);
  }

  private void foldInBackground() {
    long wait = pace.nanosToWait();
    if (wait > 0) {
      task.requestIn(wait);
      return;
    }
    long begun = context.time().nanoTime();
    try {
      Step step = step(false);
      long took = context.time().nanoTime() - begun;
      switch (step) {
        case NOTHING_DONE -> {
          pace.nothingDone();
          failure.databaseAnswered();
        }
        case HELD_UP -> {
          failure.databaseAnswered();
          nudge();
        }
        case MORE_TO_DO -> {
          pace.worked(took);
          task.requestIn(0);
        }
        case BATCH_FOLDED -> {
          failure.over();
          pace.worked(took);
          pace.folded();
          // What others append meanwhile comes with the heartbeat, and begins a rest.
          if (backlog.lastSeq() > backlog.foldedSeq()) {
            nudge();
          }
        }
      }
    } catch (RuntimeException | Error e) {
      // The heartbeat sees the backlog and comes back.
      pace.failed();
      if (!context.isGoneAsExpected(e) && failure.isNews(e)) {
        log.warn(
            "folding filter {} failed and will be tried again: {}", context.name(), e.getMessage());
      }
      log.debug("folding failed", e);
    }
  }

  /**
   * Folds everything that was committed before this call.
   *
   * @param timeout how long one transaction may be tried; there may be many
   * @throws FilterUnavailableException if one does not succeed in time
   */
  public void foldAll(Duration timeout) {
    foldAll(timeout, share -> {});
  }

  /**
   * Does the same as {@link #foldAll(Duration)}, and tells how far it is.
   *
   * @param progress receives the share that is folded, from 0 to 1, after each transaction; what it
   *     throws ends folding
   */
  public void foldAll(Duration timeout, DoubleConsumer progress) {
    long target = attempt(this::lastSeq, timeout);
    long begin = attempt(this::foldedSeq, timeout);
    long folded = begin;
    while (folded < target) {
      if (attempt(() -> step(true), timeout) == Step.HELD_UP) {
        context.time().rest(this, FoldPace.LOOK_NANOS);
      }
      folded = attempt(this::foldedSeq, timeout);
      double share = (Math.max((double) folded, reached) - begin) / (target - begin);
      progress.accept(Math.max(0, Math.min(1, share)));
    }
  }

  private <T> T attempt(Supplier<T> work, Duration timeout) {
    return new Waiting(context.name())
        .forOutcome(() -> context.io().supply(work), Deadline.in(context.time(), timeout));
  }

  private long lastSeq() {
    FilterHead head =
        context
            .database()
            .read(tx -> TailReader.unfolded(tx, context.filter()))
            .orElseThrow(() -> FilterNotReady.gone(context.filter()))
            .head();
    if (head.isOver()) {
      throw FilterNotReady.in(context.filter().name(), head);
    }
    return head.lastSeq();
  }

  /** Returns how far the filter is folded, after waiting for a fold that is under way. */
  private long foldedSeq() {
    return context
        .database()
        .transact(tx -> FoldRows.lock(tx, context.id()))
        .orElseThrow(() -> FilterNotReady.gone(context.filter().name()))
        .foldedSeq();
  }

  /**
   * Runs one transaction of a batch.
   *
   * @param patient whether to wait for a transaction that holds the row. Those who looked, and left
   *     folding to each other, could otherwise do so for ever
   * @throws CorruptFilterException if the journal lacks entries, or the opened filter was changed
   */
  private Step step(boolean patient) {
    if (!stepping.tryLock()) {
      return Step.NOTHING_DONE;
    }
    try {
      Stepped stepped = context.database().transact(tx -> gatherOrWrite(tx, patient));
      stepped.committed().run();
      reached = batch == null ? 0 : batch.reached();
      return stepped.step();
    } finally {
      stepping.unlock();
    }
  }

  private Stepped gatherOrWrite(Tx tx, boolean patient) {
    Optional<FoldState> state =
        patient ? FoldRows.lock(tx, context.id()) : FoldRows.tryLock(tx, context.id());
    if (state.isEmpty()) {
      // Another process folds, perhaps other entries, so this batch may still be needed.
      return batch == null ? Stepped.NOTHING_DONE : Stepped.HELD_UP;
    }
    FoldBatch current = batch;
    // A part of the entries is of no use if the rest cannot be read.
    batch = null;
    // Old knowledge of another filter, or of other bits, would spoil the slots.
    FilterRecord filter = context.requireUnchanged(tx);
    if (current != null && !current.continues(tx, filter, state.get())) {
      current = null;
    }
    boolean begun = current != null && current.isBegun();
    if (!begun
        && filter.head().lastSeq() > state.get().foldedSeq()
        && FoldBatch.hasParts(filter)
        && FoldRows.writtenWithin(tx, context.id(), QUIET)
        && !hasBeenQuiet(state.get())) {
      // Another process may be in the middle of a batch. A part written in between would make it
      // begin again, and two processes that did this in turn would never finish.
      batch = current;
      return Stepped.HELD_UP;
    }
    if (current == null) {
      current = new FoldBatch(context, filter, state.get());
    }
    current.gather(tx);
    if (current.isEmpty()) {
      return Stepped.NOTHING_DONE;
    }
    batch = current;
    return current.isGathered() ? write(tx, current) : Stepped.GATHERED;
  }

  /**
   * Returns true if nobody wrote the fold row for long enough, by the clock of this process. That
   * of the server may stand still.
   */
  private boolean hasBeenQuiet(FoldState state) {
    long now = context.time().nanoTime();
    if (!state.equals(lastSeen)) {
      lastSeen = state;
      seenSince = now;
    }
    return now - seenSince >= QUIET.toNanos();
  }

  private Stepped write(Tx tx, FoldBatch current) {
    RemovalRecord removal = context.filter().removal();
    if (removal != null && !current.removals().isDone()) {
      long written =
          current.removals().writeNext(tx, new RemovedRows(removal), FoldShare.ROWS_PER_PART);
      FoldState left = FoldRows.mark(tx, context.id());
      return new Stepped(Step.MORE_TO_DO, () -> current.done(written, left));
    }
    Optional<FoldShare> unwritten = current.unwritten();
    if (unwritten.isEmpty()) {
      // These entries only record changes of generations.
      return folded(tx, current);
    }
    FoldShare share = unwritten.get();
    FoldTarget table = tableOf(share.generation());
    if (!share.isBegun() && table.wantsAllRows(tx, current.from().epoch(), share.coverage())) {
      share.writeAllSlots();
    }
    FoldPart part = share.next();
    if (part.fills()) {
      table.rows().fill(tx, share.masks(), part.slots());
    } else {
      table.rows().or(tx, share.masks(), part.slots());
    }
    if (current.endsWith(share, part)) {
      return folded(tx, current);
    }
    FoldState left = FoldRows.mark(tx, context.id());
    return new Stepped(Step.MORE_TO_DO, () -> current.done(share, part, left));
  }

  private Stepped folded(Tx tx, FoldBatch current) {
    if (!FoldRows.advance(tx, context.id(), current.from(), current.end())) {
      throw new IllegalStateException(
          "The fold row of filter " + context.name() + " changed under its lock.");
    }
    return new Stepped(
        Step.BATCH_FOLDED,
        () -> {
          batch = null;
          backlog.folded(current.end());
        });
  }

  /** Returns the slot table of a generation, and forgets tables that are no longer in use. */
  private FoldTarget tableOf(GenerationRecord generation) {
    tables.keySet().retainAll(context.filter().set().all());
    return tables.computeIfAbsent(generation, FoldTarget::new);
  }
}
