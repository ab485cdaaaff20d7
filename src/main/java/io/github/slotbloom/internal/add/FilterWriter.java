package io.github.slotbloom.internal.add;

import io.github.slotbloom.SlotBloomEvent;
import io.github.slotbloom.SlotBloomListener;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.WriteFailedException.Outcome;
import io.github.slotbloom.internal.add.WriterProgress.Phase;
import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.context.ServerWatch;
import io.github.slotbloom.internal.duty.Duties;
import io.github.slotbloom.internal.failure.Failures;
import io.github.slotbloom.internal.failure.Retry;
import io.github.slotbloom.internal.fold.Backlog;
import io.github.slotbloom.internal.fold.Folder;
import io.github.slotbloom.internal.membership.KnownKeys;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.session.KeptSession;
import io.github.slotbloom.internal.time.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the contents of the queue, one transaction after the other, on the single thread that the
 * queue provides.
 *
 * <p>Each batch goes through the same steps. It waits until folding has caught up, is written and
 * committed by a {@link WriteTransaction}, and is answered. If the transaction fails, it is
 * repeated as a whole, unless COMMIT was sent. In that case the {@link CommitResolver} first finds
 * out whether it took place.
 */
public final class FilterWriter implements WriteQueue.Writer {

  private static final Logger log = LoggerFactory.getLogger(FilterWriter.class);

  private final FilterName filter;
  private final KnownKeys keys;
  private final Folder folder;
  private final Backlog backlog;
  private final Duties duties;
  private final SlotBloomListener listener;
  private final WriterProgress progress;
  private final WriteTransaction transaction;
  private final CommitResolver resolver;

  public FilterWriter(
      FollowedFilter followed,
      KeptSession session,
      ServerWatch server,
      KnownKeys keys,
      Folder folder,
      Duties duties,
      SlotBloomListener listener) {
    this.filter = followed.name();
    this.keys = keys;
    this.folder = folder;
    this.backlog = folder.backlog();
    this.duties = duties;
    this.listener = listener;
    this.progress = new WriterProgress(backlog);
    this.transaction =
        new WriteTransaction(followed, session, server, keys, duties.growth(), progress);
    this.resolver = new CommitResolver(followed.now(), session::transact, server);
  }

  @Override
  public @Nullable Trouble trouble() {
    return progress.trouble();
  }

  /** Writes a batch, and completes each of its parts with the answers or exceptionally. */
  @Override
  public void write(List<PendingWrite> batch) {
    progress.enter(Phase.WRITING);
    try {
      writeInTime(batch);
    } finally {
      progress.enter(Phase.RESTING);
    }
  }

  @Override
  public void rest() {
    transaction.release();
  }

  /**
   * Writes a batch, and repeats it in a loop of its own: callers leave the batch as their time runs
   * out, and a step that only has to come first is no failure.
   */
  private void writeInTime(List<PendingWrite> batch) {
    Retry retry = Retry.ofCall();
    progress.failed(null);
    @Nullable Throwable last = awaitFolding(batch);
    for (int attempt = 1; ; attempt++) {
      List<PendingWrite> live = live(batch, last);
      if (live.isEmpty()) {
        return;
      }
      Deadline deadline = latest(live);
      last = attempt(live, deadline);
      progress.failed(last == null || needsStepFirst(last) ? null : last);
      if (last == null) {
        return;
      }
      log.debug("retrying an add to filter {}", filter, last);
      if (last instanceof Exception reason && !needsStepFirst(last)) {
        listener.on(new SlotBloomEvent.Retrying(filter.value(), attempt, reason));
      }
      // The first time the mirror was only late, and has caught up by now.
      boolean withoutPause =
          needsStepFirst(last) && (attempt == 1 || !(last instanceof KnownKeys.StaleException));
      if (!withoutPause) {
        try {
          retry.pause(deadline);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          fail(live, Outcome.NOT_RECORDED, e);
          return;
        }
      }
    }
  }

  /** Returns true if nothing failed, and another step only had to come first. */
  private static boolean needsStepFirst(Throwable reason) {
    return reason instanceof KnownKeys.StaleException
        || reason instanceof OutgrownException
        || reason instanceof BucketOverException;
  }

  /** Returns null if there is room for more in the journal, otherwise why nothing was written. */
  private @Nullable Throwable awaitFolding(List<PendingWrite> batch) {
    if (!backlog.holdsBack()) {
      return null;
    }
    transaction.release();
    folder.nudge();
    progress.enter(Phase.AWAITING_FOLDING);
    try {
      Throwable full =
          backlog.await(latest(batch)) ? null : new TimeoutException(backlog.trouble());
      // Set first, so that a caller that gives up at the same moment finds it.
      progress.failed(full);
      return full;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return e;
    } finally {
      progress.enter(Phase.WRITING);
    }
  }

  /** Returns null if every caller was told, otherwise why the batch must be tried again. */
  private @Nullable Throwable attempt(List<PendingWrite> live, Deadline deadline) {
    DecidedBatch committed;
    try {
      committed = transaction.commit(live);
    } catch (CommitUnknownException e) {
      return settle(e.attempt, deadline, Objects.requireNonNull(e.getCause()));
    } catch (KnownKeys.StaleException e) {
      return refresh(live, deadline, e);
    } catch (OutgrownException e) {
      return letGrow(live, deadline, e);
    } catch (BucketOverException e) {
      return rotate(live, e);
    } catch (RuntimeException | Error e) {
      return againOrFail(live, e);
    }
    succeed(committed);
    return null;
  }

  /** Finds out whether the transaction took place, and acts on the answer. */
  private @Nullable Throwable settle(DecidedBatch attempt, Deadline deadline, Throwable reason) {
    switch (resolver.resolve(attempt, deadline)) {
      case COMMITTED -> succeed(attempt);
      case UNKNOWN -> fail(attempt.batch(), Outcome.UNKNOWN, reason);
      case NOT_COMMITTED -> {
        attempt.batch().forEach(PendingWrite::putBack);
        return againOrFail(attempt.batch(), reason);
      }
    }
    return null;
  }

  private void succeed(DecidedBatch attempt) {
    FilterHead before = attempt.head();
    FilterHead after = attempt.headAfter();
    try {
      keys.committed(before, attempt.entries());
    } finally {
      attempt.answer();
    }
    transaction.committed(attempt);
    if (attempt.wrote()) {
      duties.onCommittedHead(after);
      folder.appended(after.lastSeq(), attempt.keysWritten());
    }
  }

  /**
   * Waits for the filter to grow. It holds neither the lock nor a connection, since growing may
   * need both.
   */
  private @Nullable Throwable letGrow(
      List<PendingWrite> live, Deadline deadline, OutgrownException outgrown) {
    progress.enter(Phase.AWAITING_GROWTH);
    try {
      duties.growth().await(outgrown.head, outgrown.newKeys, deadline);
      return outgrown;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return againOrFail(live, e);
    } finally {
      progress.enter(Phase.WRITING);
    }
  }

  /**
   * Begins the current bucket. It holds neither the lock nor a connection, since that takes both.
   */
  private @Nullable Throwable rotate(List<PendingWrite> live, BucketOverException over) {
    transaction.release();
    try {
      duties.rotation().rotate();
      return over;
    } catch (FilterUnavailableException e) {
      // It passes, as where another process changes the filter.
      return e;
    } catch (RuntimeException | Error e) {
      return againOrFail(live, e);
    }
  }

  /** Catches up. It holds neither the lock nor a connection, since that may need the last one. */
  private @Nullable Throwable refresh(
      List<PendingWrite> live, Deadline deadline, KnownKeys.StaleException stale) {
    transaction.release();
    try {
      keys.refresh().get(Math.max(0, deadline.remainingNanos()), TimeUnit.NANOSECONDS);
      return stale;
    } catch (ExecutionException | TimeoutException e) {
      return againOrFail(live, Objects.requireNonNullElse(e.getCause(), e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return againOrFail(live, e);
    }
  }

  private @Nullable Throwable againOrFail(List<PendingWrite> live, Throwable reason) {
    boolean again = Failures.passing(reason) || Failures.repeatable(reason);
    if (!again) {
      fail(live, Outcome.NOT_RECORDED, reason);
    }
    return again ? reason : null;
  }

  /**
   * Returns the adds that still have a waiting caller and time left, and tells the other callers.
   */
  private List<PendingWrite> live(List<PendingWrite> batch, @Nullable Throwable last) {
    List<PendingWrite> live = new ArrayList<>(batch.size());
    for (PendingWrite pending : batch) {
      if (pending.deadline.passed()) {
        fail(List.of(pending), Outcome.NOT_RECORDED, last);
      } else if (!pending.isAbandoned()) {
        live.add(pending);
      }
    }
    return live;
  }

  private static Deadline latest(List<PendingWrite> pendings) {
    Deadline latest = pendings.get(0).deadline;
    for (PendingWrite pending : pendings) {
      if (pending.deadline.remainingNanos() > latest.remainingNanos()) {
        latest = pending.deadline;
      }
    }
    return latest;
  }

  private void fail(List<PendingWrite> failed, Outcome outcome, @Nullable Throwable cause) {
    for (PendingWrite pending : failed) {
      pending.answers.completeExceptionally(
          WriteFailures.translate(filter, pending, outcome, cause));
    }
  }
}
