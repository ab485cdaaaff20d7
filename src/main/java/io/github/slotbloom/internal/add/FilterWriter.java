package io.github.slotbloom.internal.add;

import io.github.slotbloom.error.AddFailedException.Outcome;
import io.github.slotbloom.error.SlotBloomException;
import io.github.slotbloom.internal.ask.Held;
import io.github.slotbloom.internal.ask.KnownKeys;
import io.github.slotbloom.internal.background.Backoff;
import io.github.slotbloom.internal.background.NotStartedException;
import io.github.slotbloom.internal.engine.Deadline;
import io.github.slotbloom.internal.engine.FilterContext;
import io.github.slotbloom.internal.engine.Waiting;
import io.github.slotbloom.internal.fold.Folder;
import io.github.slotbloom.internal.mirror.FilterNotReady;
import io.github.slotbloom.internal.store.DatabaseFailure;
import io.github.slotbloom.internal.store.KeptSession;
import io.github.slotbloom.internal.store.Tx;
import io.github.slotbloom.internal.store.catalog.FilterHead;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.verify.Trouble;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what the queue holds, one transaction after the other.
 *
 * <p>A transaction locks the filter's head, learns what others appended before it, decides in order
 * which keys are new, and appends those to the journal. If it fails it is played again as a whole,
 * unless COMMIT was sent: then the journal, read under the same lock once the old transaction is
 * over, tells by the token whether it took place.
 */
public final class FilterWriter implements WriteQueue.Writer {

  private static final Logger log = LoggerFactory.getLogger(FilterWriter.class);

  private static final String NO_ANSWER =
      "the database did not answer in time, or the pool had no connection to give";

  private final FilterContext context;
  private final KnownKeys keys;
  private final Folder folder;
  private final Appending appending;
  private final CapacityWatch capacity;
  private final SelfGrowth growth;
  private final Room room;
  private final Backlog backlog;
  private final KeptSession session;
  private final ExpectedHead expected = new ExpectedHead();
  private volatile boolean waitsForLock;
  private volatile boolean heldBack;
  private volatile boolean awaitsGrowth;
  private volatile boolean writing;
  private volatile @Nullable Throwable lastFailure;

  public FilterWriter(
      FilterContext context,
      KnownKeys keys,
      Folder folder,
      Appending appending,
      CapacityWatch capacity,
      SelfGrowth growth,
      Room room,
      Backlog backlog) {
    this.context = context;
    this.keys = keys;
    this.folder = folder;
    this.appending = appending;
    this.capacity = capacity;
    this.growth = growth;
    this.room = room;
    this.backlog = backlog;
    this.session = context.database().keptSession();
  }

  /** Writes a batch, and completes each of its parts: with the answers, or exceptionally. */
  @Override
  public void write(List<PendingAdd> batch) {
    writing = true;
    try {
      writeInTime(batch);
    } finally {
      writing = false;
    }
  }

  @Override
  public void rest() {
    session.release();
  }

  private void writeInTime(List<PendingAdd> batch) {
    Backoff backoff = new Backoff();
    lastFailure = null;
    @Nullable Throwable last = awaitFolding(batch);
    for (int attempt = 1; ; attempt++) {
      List<PendingAdd> live = live(batch, last);
      if (live.isEmpty()) {
        return;
      }
      Deadline deadline = latest(live);
      last = attempt(live, deadline);
      lastFailure = last == null || isDetour(last) ? null : last;
      if (last == null) {
        return;
      }
      log.debug("adding to filter {} is tried again", context.name(), last);
      if (last instanceof Exception reason && !isDetour(last)) {
        context.listener().retrying(context.name(), attempt, reason);
      }
      // The first time the mirror was only late, and has caught up by now.
      boolean readyNow =
          last instanceof OutgrownException
              || (last instanceof KnownKeys.StaleException && attempt == 1);
      if (!readyNow) {
        try {
          backoff.await(deadline);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          fail(live, Outcome.NOT_RECORDED, e);
          return;
        }
      }
    }
  }

  /** Whether nothing went wrong, and something else only had to come first. */
  private static boolean isDetour(Throwable reason) {
    return reason instanceof KnownKeys.StaleException || reason instanceof OutgrownException;
  }

  /** Returns null when there is room for more in the journal, otherwise why nothing was written. */
  private @Nullable Throwable awaitFolding(List<PendingAdd> batch) {
    if (!backlog.holdsBack()) {
      return null;
    }
    session.release();
    folder.nudge();
    heldBack = true;
    try {
      // Whoever gives up at the same moment finds it there.
      lastFailure =
          backlog.await(latest(batch)) ? null : new Backlog.FullException(backlog.trouble());
      return lastFailure;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return e;
    } finally {
      heldBack = false;
    }
  }

  /** Returns null when every caller was told, otherwise why it must be tried again. */
  private @Nullable Throwable attempt(List<PendingAdd> live, Deadline deadline) {
    AtomicReference<WriteAttempt> played = new AtomicReference<>();
    WriteAttempt committed;
    try {
      KnownKeys.UnderLock known = keys.ahead(session::transact, () -> WriteAttempt.hashesOf(live));
      committed = session.transact(tx -> play(tx, live, known, played));
    } catch (KnownKeys.StaleException e) {
      return refresh(live, deadline, e);
    } catch (OutgrownException e) {
      return letGrow(live, deadline, e);
    } catch (RuntimeException | Error e) {
      WriteAttempt plan = played.get();
      if (plan != null && plan.wrote() && !rolledBack(e)) {
        return settle(plan, deadline, e);
      }
      return againOrFail(live, e);
    }
    succeed(committed);
    return null;
  }

  /** Whether it is certain that COMMIT was not sent. */
  private static boolean rolledBack(Throwable e) {
    return e instanceof DatabaseFailure f && !f.outcomeUnknown();
  }

  /** Finds out whether the transaction took place, and acts on it. */
  private @Nullable Throwable settle(WriteAttempt plan, Deadline deadline, Throwable reason) {
    Optional<Boolean> committed = resolve(plan, deadline);
    if (committed.isEmpty()) {
      fail(plan.batch(), Outcome.UNKNOWN, reason);
      return null;
    }
    if (committed.get()) {
      succeed(plan);
      return null;
    }
    return againOrFail(plan.batch(), reason);
  }

  private @Nullable Throwable againOrFail(List<PendingAdd> live, Throwable reason) {
    boolean again =
        Waiting.passing(reason) || (reason instanceof DatabaseFailure f && f.outcomeUnknown());
    if (!again) {
      fail(live, Outcome.NOT_RECORDED, reason);
    }
    return again ? reason : null;
  }

  /** Those that somebody still waits for and that have time left; the others are told. */
  private List<PendingAdd> live(List<PendingAdd> batch, @Nullable Throwable last) {
    List<PendingAdd> live = new ArrayList<>(batch.size());
    for (PendingAdd pending : batch) {
      if (pending.deadline.passed()) {
        fail(List.of(pending), Outcome.NOT_RECORDED, last);
      } else if (!pending.isOver()) {
        live.add(pending);
      }
    }
    return live;
  }

  private static Deadline latest(List<PendingAdd> pendings) {
    Deadline latest = pendings.get(0).deadline;
    for (PendingAdd pending : pendings) {
      if (pending.deadline.remainingNanos() > latest.remainingNanos()) {
        latest = pending.deadline;
      }
    }
    return latest;
  }

  /** What comes out of it is also put into {@code played}, since COMMIT may fail after it. */
  private WriteAttempt play(
      Tx tx,
      List<PendingAdd> live,
      KnownKeys.UnderLock known,
      AtomicReference<WriteAttempt> played) {
    Optional<WriteAttempt> shorter =
        expected.get().flatMap(head -> playFrom(tx, live, head, played));
    return shorter.orElseGet(() -> playLocked(tx, live, known, played));
  }

  /**
   * Decides first and locks the head afterwards, by changing it: if it is as expected, nothing was
   * appended meanwhile, and the decision is the same as under the lock.
   *
   * @return empty if it is not, or if there is nothing to append
   */
  private Optional<WriteAttempt> playFrom(
      Tx tx, List<PendingAdd> live, FilterHead head, AtomicReference<WriteAttempt> played) {
    WriteAttempt attempt = new WriteAttempt(head, room, live);
    Optional<Held> held = keys.presumed(head, attempt.hashes());
    if (held.isEmpty()) {
      return Optional.empty();
    }
    Decision decision = attempt.decide(held.get());
    if (growth.comesBefore(head, decision.newHashes().length)) {
      // Only what is read under the lock says whether it does.
      return Optional.empty();
    }
    List<JournalEntry> entries = Appending.chain(head, decision);
    if (entries.isEmpty() || !awaitingLock(() -> appending.moveHead(tx, head, entries))) {
      expected.missed();
      return Optional.empty();
    }
    if (!live.stream().allMatch(PendingAdd::take)) {
      // Who gave up meanwhile was told that nothing is recorded: decided anew, without them.
      throw new KnownKeys.StaleException();
    }
    attempt.writes(entries);
    played.set(attempt);
    appending.insert(tx, entries);
    return Optional.of(attempt);
  }

  private WriteAttempt playLocked(
      Tx tx,
      List<PendingAdd> live,
      KnownKeys.UnderLock known,
      AtomicReference<WriteAttempt> played) {
    FilterHead head = lockHead(tx);
    expected.found(head);
    // Who gave up while this waited for the lock was told that nothing is recorded.
    WriteAttempt attempt =
        new WriteAttempt(head, room, live.stream().filter(PendingAdd::take).toList());
    Decision decision = attempt.decide(known.find(tx, head, attempt.hashes()));
    if (growth.comesBefore(head, decision.newHashes().length)) {
      throw new OutgrownException(head, decision.newHashes().length);
    }
    played.set(attempt);
    List<JournalEntry> entries = Appending.chain(head, decision);
    attempt.writes(entries);
    appending.append(tx, entries);
    return attempt;
  }

  /** What this struggles with at the moment; null if all goes well. */
  public @Nullable Trouble trouble() {
    Throwable failure = lastFailure;
    if (heldBack) {
      return new Trouble(backlog.trouble(), failure);
    }
    if (awaitsGrowth) {
      return new Trouble("it waited for the filter to grow", failure);
    }
    if (waitsForLock) {
      return new Trouble(AddFailures.LOCK_AWAITED, failure);
    }
    if (failure != null) {
      return new Trouble(AddFailures.trouble(failure), failure);
    }
    return writing ? new Trouble(NO_ANSWER, null) : null;
  }

  private FilterHead lockHead(Tx tx) {
    FilterHead head =
        awaitingLock(() -> context.catalog().lockHead(tx, context.filter()))
            .orElseThrow(() -> FilterNotReady.gone(context.filter().name()));
    appending.requireActive(head);
    return head;
  }

  private <T> T awaitingLock(Supplier<T> statement) {
    waitsForLock = true;
    try {
      return statement.get();
    } finally {
      waitsForLock = false;
    }
  }

  private void succeed(WriteAttempt attempt) {
    FilterHead before = attempt.head();
    try {
      keys.committed(before, attempt.entries());
    } finally {
      attempt.answer();
    }
    expected.leave(attempt.headAfter());
    if (attempt.wrote()) {
      capacity.heard(attempt.headAfter());
      growth.heard(attempt.headAfter(), 0);
      backlog.appended(before.lastSeq() + attempt.entries().size());
      folder.appended(attempt.keysWritten());
    }
  }

  /** Waits without the lock, and without a connection, which growing may need. */
  private @Nullable Throwable letGrow(
      List<PendingAdd> live, Deadline deadline, OutgrownException outgrown) {
    awaitsGrowth = true;
    try {
      growth.await(outgrown.head(), outgrown.newKeys(), deadline);
      return outgrown;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return againOrFail(live, e);
    } finally {
      awaitsGrowth = false;
    }
  }

  /** Catches up without the lock. */
  private @Nullable Throwable refresh(
      List<PendingAdd> live, Deadline deadline, KnownKeys.StaleException stale) {
    try {
      keys.refresh().get(Math.max(0, deadline.remainingNanos()), TimeUnit.NANOSECONDS);
      return stale;
    } catch (ExecutionException e) {
      return againOrFail(live, Objects.requireNonNullElse(e.getCause(), e));
    } catch (TimeoutException e) {
      return againOrFail(live, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return againOrFail(live, e);
    }
  }

  /** Whether the transaction of the attempt took place; empty if that cannot be known. */
  private Optional<Boolean> resolve(WriteAttempt attempt, Deadline deadline) {
    Backoff backoff = new Backoff();
    while (true) {
      try {
        return context.database().transact(tx -> committed(tx, attempt));
      } catch (DatabaseFailure e) {
        log.debug("the outcome of a commit to filter {} is not known yet", context.name(), e);
        if (deadline.passed() || !(e.replayable() || e.outcomeUnknown())) {
          return Optional.empty();
        }
      }
      try {
        backoff.await(deadline);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return Optional.empty();
      }
    }
  }

  /**
   * The lock is granted only when the old transaction is over, so what is read under it is final.
   */
  private Optional<Boolean> committed(Tx tx, WriteAttempt attempt) {
    Optional<FilterHead> head = context.catalog().lockHead(tx, context.id());
    if (head.isEmpty() || head.get().epoch() != attempt.head().epoch()) {
      return Optional.empty();
    }
    JournalEntry first = attempt.entries().get(0);
    if (head.get().lastSeq() < first.seq()) {
      return Optional.of(false);
    }
    if (!context.server().visibleIsDurable()) {
      context.catalog().tick(tx, context.id());
    }
    return context
        .journal()
        .tokenAt(tx, context.id(), first.seq())
        .map(token -> token == first.token());
  }

  private void fail(List<PendingAdd> failed, Outcome outcome, @Nullable Throwable cause) {
    for (PendingAdd pending : failed) {
      pending.answers.completeExceptionally(describe(pending, outcome, cause));
    }
  }

  private RuntimeException describe(
      PendingAdd pending, Outcome outcome, @Nullable Throwable cause) {
    if (cause instanceof SlotBloomException e) {
      return e;
    }
    if ((cause instanceof NotStartedException refused && refused.closed())
        || (cause instanceof FilterNotReady n && n.isGone())
        || (cause instanceof DatabaseFailure f && (f.denied() || f.tableMissing()))) {
      return new Waiting(context.name()).translate(cause);
    }
    return AddFailures.of(context.name(), pending.deadline, outcome, cause);
  }
}
