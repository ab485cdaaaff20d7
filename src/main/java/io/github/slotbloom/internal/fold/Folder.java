package io.github.slotbloom.internal.fold;

import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.internal.background.Background;
import io.github.slotbloom.internal.background.BackgroundTask;
import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.context.Waiting;
import io.github.slotbloom.internal.failure.RecurringFailure;
import io.github.slotbloom.internal.mirror.FilterNotReady;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.journal.FoldRows;
import io.github.slotbloom.internal.store.journal.FoldState;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.journal.UnfoldedFilter;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.store.slots.RemovedRows;
import io.github.slotbloom.internal.time.Deadline;
import io.github.slotbloom.internal.time.TimeSource;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.DoubleConsumer;
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
   * @param from how far the filter was folded before; unknown if the step did not get that far
   * @param folded how far it is folded now; likewise
   * @param to where the journal ends; likewise
   * @param committed takes in the results once the transaction is committed
   */
  private record Stepped(Step step, long from, long folded, long to, Runnable committed) {
    static final Stepped LEFT_TO_ANOTHER = new Stepped(Step.NOTHING_DONE, 0, 0, 0, () -> {});
    static final Stepped HELD_UP = new Stepped(Step.HELD_UP, 0, 0, 0, () -> {});
  }

  /** The part of a batch that a step wrote. */
  private record Written(Step step, Runnable committed) {
    static final Written GATHERED = new Written(Step.MORE_TO_DO, () -> {});
  }

  private final FollowedFilter followed;
  private final Backlog backlog;
  private final Database database;
  private final Background io;
  private final TimeSource time;

  /** Those whose tables are known to have rows. */
  private final Set<GenerationRecord> withRows = new HashSet<>();

  private final BackgroundTask task;
  private final RecurringFailure failure;
  private final ReentrantLock stepping = new ReentrantLock(true);
  private @Nullable FoldBatch batch;
  private @Nullable FoldState lastSeen;
  private long seenSince;
  private volatile double reached;
  private final FoldPace pace;

  public Folder(
      FollowedFilter followed, Backlog backlog, Database database, Background io, TimeSource time) {
    this.followed = followed;
    this.backlog = backlog;
    this.database = database;
    this.io = io;
    this.time = time;
    this.pace = new FoldPace(time, backlog);
    this.failure =
        new RecurringFailure(
            log,
            time,
            "folding filter " + followed.name() + " failed; will retry",
            followed::isGoneAsExpected);
    // If the task does not begin, the heartbeat sees the backlog and comes back.
    this.task =
        new BackgroundTask(
            "folding filter " + followed.name(), io, this::foldInBackground, e -> {});
  }

  public Backlog backlog() {
    return backlog;
  }

  /** Takes in the last entry that this process appended, and folds the keys when it is time. */
  public void appended(long seq, long keys) {
    backlog.appended(seq);
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
    long begun = time.nanoTime();
    try {
      Step step = step(false).step();
      long took = time.nanoTime() - begun;
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
      failure.tell(e);
    }
  }

  /**
   * Folds everything that was committed before this call.
   *
   * @throws FilterUnavailableException if one of the transactions does not succeed in time
   */
  public void foldAll() {
    foldAll(share -> {});
  }

  /**
   * Does the same as {@link #foldAll()}, and tells how far it is.
   *
   * @param progress receives the share that is folded, from 0 to 1, after each transaction; what it
   *     throws ends folding
   */
  public void foldAll(DoubleConsumer progress) {
    Stepped stepped = stepInTurn();
    long begin = stepped.from();
    long target = stepped.to();
    while (begin < target) {
      double share = (reached - begin) / (target - begin);
      progress.accept(Math.max(0, Math.min(1, share)));
      if (stepped.folded() >= target) {
        return;
      }
      stepped = stepInTurn();
      // What a failover lost since then cannot be folded.
      target = Math.min(target, stepped.to());
    }
  }

  /** Makes a step, once no other one is in its way. */
  private Stepped stepInTurn() {
    Stepped stepped = patientStep();
    while (stepped.step() == Step.HELD_UP) {
      time.rest(this, FoldPace.LOOK_NANOS);
      stepped = patientStep();
    }
    return stepped;
  }

  private Stepped patientStep() {
    return new Waiting(followed.name())
        .forOutcome(() -> io.supply(() -> step(true)), Deadline.in(time, Waiting.STEP_TIMEOUT));
  }

  /**
   * Runs one transaction of a batch.
   *
   * @param patient whether to wait for a thread that makes a step and for a transaction that holds
   *     the row, and to need the filter. Those who looked, and left folding to each other, could
   *     otherwise do so forever
   * @throws CorruptFilterException if the journal lacks entries, or the opened filter was changed
   */
  private Stepped step(boolean patient) {
    if (patient) {
      stepping.lock();
    } else if (!stepping.tryLock()) {
      return Stepped.LEFT_TO_ANOTHER;
    }
    try {
      Stepped stepped = database.transact(tx -> gatherOrWrite(tx, patient));
      stepped.committed().run();
      if (batch != null) {
        reached = batch.reached();
      }
      return stepped;
    } finally {
      stepping.unlock();
    }
  }

  private Stepped gatherOrWrite(Tx tx, boolean patient) {
    Optional<FoldState> state =
        patient ? FoldRows.lock(tx, followed.id()) : FoldRows.tryLock(tx, followed.id());
    if (state.isEmpty()) {
      if (patient) {
        throw FilterNotReady.gone(followed.now());
      }
      // Another process folds, perhaps other entries, so this batch may still be needed.
      return batch == null ? Stepped.LEFT_TO_ANOTHER : Stepped.HELD_UP;
    }
    FoldBatch current = batch;
    // A part of the entries is of no use if the rest cannot be read.
    batch = null;
    // Old knowledge of another filter, or of other bits, would spoil the slots.
    FilterRecord filter;
    List<JournalEntry> read = List.of();
    // Where a batch has parts, its entries may not be due, or are here already.
    if (current == null && !FoldBatch.hasParts(followed.now())) {
      UnfoldedFilter unfolded = followed.unfolded(tx);
      filter = unfolded.filter();
      read = unfolded.tail().entries();
    } else {
      filter = followed.requireUnchanged(tx);
    }
    FilterHead head = filter.head();
    if (patient && head.isOver()) {
      throw FilterNotReady.in(filter.name(), head);
    }
    if (current != null && !current.continues(tx, filter, state.get())) {
      current = null;
    }
    boolean begun = current != null && current.isBegun();
    if (!begun
        && head.lastSeq() > state.get().foldedSeq()
        && FoldBatch.hasParts(filter)
        && FoldRows.writtenWithin(tx, followed.id(), QUIET)
        && !hasBeenQuiet(state.get())) {
      // Another process may be in the middle of a batch. A part written in between would make it
      // begin again, and two processes that did this in turn would never finish.
      batch = current;
      return Stepped.HELD_UP;
    }
    if (current == null) {
      current = new FoldBatch(filter, state.get());
    }
    current.gather(tx, read);
    if (current.isEmpty()) {
      long folded = current.end();
      return new Stepped(Step.NOTHING_DONE, folded, folded, head.lastSeq(), () -> reached = folded);
    }
    batch = current;
    Written written = current.isGathered() ? write(tx, current) : Written.GATHERED;
    long from = state.get().foldedSeq();
    long folded = written.step() == Step.BATCH_FOLDED ? current.end() : from;
    return new Stepped(written.step(), from, folded, head.lastSeq(), written.committed());
  }

  /**
   * Returns true if nobody wrote the fold row for long enough, by the clock of this process. That
   * of the server may stand still.
   */
  private boolean hasBeenQuiet(FoldState state) {
    long now = time.nanoTime();
    if (!state.equals(lastSeen)) {
      lastSeen = state;
      seenSince = now;
    }
    return now - seenSince >= QUIET.toNanos();
  }

  private Written write(Tx tx, FoldBatch current) {
    if (followed.now().removable() && !current.removals().isDone()) {
      RemovedRows rows = new RemovedRows(followed.now());
      long written = current.removals().writeNext(tx, rows, FoldShare.ROWS_PER_PART);
      FoldState left = FoldRows.mark(tx, followed.id());
      return new Written(Step.MORE_TO_DO, () -> current.done(written, left));
    }
    Optional<FoldShare> unwritten = current.unwritten();
    if (unwritten.isEmpty()) {
      // These entries only record changes of generations.
      return folded(tx, current);
    }
    FoldShare share = unwritten.get();
    withRows.retainAll(followed.now().manifest().all());
    if (!share.isBegun() && !withRows.contains(share.generation()) && share.chooseRows(tx)) {
      withRows.add(share.generation());
    }
    FoldShare.Part part = share.write(tx);
    if (current.endsWith(share, part)) {
      return folded(tx, current);
    }
    FoldState left = FoldRows.mark(tx, followed.id());
    return new Written(Step.MORE_TO_DO, () -> current.done(share, part, left));
  }

  private Written folded(Tx tx, FoldBatch current) {
    if (!FoldRows.advance(tx, followed.id(), current.from(), current.end())) {
      throw new IllegalStateException(
          "The fold row of filter " + followed.name() + " changed under its lock.");
    }
    return new Written(
        Step.BATCH_FOLDED,
        () -> {
          batch = null;
          reached = current.end();
          backlog.folded(current.end());
        });
  }
}
