package io.github.slotbloom.internal.add;

import io.github.slotbloom.core.Window;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.internal.ask.KnownKeys;
import io.github.slotbloom.internal.ask.Membership;
import io.github.slotbloom.internal.engine.FilterContext;
import io.github.slotbloom.internal.mirror.FilterNotReady;
import io.github.slotbloom.internal.store.DatabaseFailure;
import io.github.slotbloom.internal.store.KeptSession;
import io.github.slotbloom.internal.store.Tx;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.FilterHead;
import io.github.slotbloom.internal.store.catalog.WindowRows;
import io.github.slotbloom.internal.store.journal.HeldHashes;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.journal.JournalAppend;
import io.github.slotbloom.internal.store.journal.JournalAppend.Outcome;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/**
 * Decides which keys of a batch are new, and appends those to the journal.
 *
 * <p>A process that wrote last decides first, and appends in one statement. Otherwise, and if
 * another process writes too, it locks the filter's head before it decides. Used by one thread at a
 * time.
 */
final class WriteTransaction {

  /** The time where it does not matter. */
  private static final long NO_TIME = 0;

  private final FilterContext context;
  private final KnownKeys keys;
  private final SelfGrowth growth;
  private final WriterProgress progress;
  private final KeptSession session;
  private final ExpectedHead expected = new ExpectedHead();

  WriteTransaction(
      FilterContext context, KnownKeys keys, SelfGrowth growth, WriterProgress progress) {
    this.context = context;
    this.keys = keys;
    this.growth = growth;
    this.progress = progress;
    this.session = new KeptSession(context.database(), context.time()::nanoTime);
  }

  /** Gives the connection back, if one is kept. */
  void release() {
    session.release();
  }

  /**
   * Writes a batch and commits it.
   *
   * @throws CommitUnknownException if it may have been committed
   * @throws KnownKeys.StaleException if nothing was written, and {@link KnownKeys#refresh} must
   *     come first
   * @throws OutgrownException if nothing was written, and the filter has to grow first
   * @throws BucketOverException if nothing was written, and the next bucket has to begin first
   */
  DecidedBatch commit(List<PendingWrite> pending) {
    List<PendingWrite> batch = DecidedBatch.inOrder(pending);
    try {
      return expected
          .get()
          .flatMap(head -> appendTo(head, batch))
          .orElseGet(() -> appendLocked(batch));
    } catch (CommitUnknownException e) {
      throw e;
    } catch (RuntimeException | Error e) {
      // Nothing was written, so a caller that gives up from here on may be told so.
      batch.forEach(PendingWrite::putBack);
      throw e;
    }
  }

  /** Takes in that an attempt took place. The next one begins where it ended. */
  void committed(DecidedBatch attempt) {
    expected.committed(attempt.headAfter());
  }

  /**
   * Decides for the expected head, and appends in one statement, which does nothing if the head is
   * another one. If it is the expected one, nothing was appended meanwhile, and the decision is the
   * same as under the lock.
   *
   * @return empty if nothing was written, and the lock has to be taken first
   */
  private Optional<DecidedBatch> appendTo(FilterHead head, List<PendingWrite> batch) {
    if (context.filter().window() != null
        && batch.stream().anyMatch(pending -> pending.event != null)) {
      // Only the lock can show that the time is as expected.
      return Optional.empty();
    }
    long[] hashes = DecidedBatch.hashesOf(batch);
    Optional<DecidedBatch> decided =
        keys.presumed(head, hashes)
            .map(
                held ->
                    DecidedBatch.decide(
                        context.filter(), head, batch, hashes, held, heldAsOf(head), NO_TIME));
    if (decided.isEmpty()) {
      return Optional.empty();
    }
    DecidedBatch attempt = decided.get();
    if (!attempt.wrote() || growth.mustGrowFirst(head, attempt.keysToSet())) {
      // Only the lock can show that the head is as expected.
      return Optional.empty();
    }
    if (!batch.stream().allMatch(PendingWrite::take)) {
      // A caller that gave up meanwhile was told that nothing is recorded, so decide again without
      // it.
      throw new KnownKeys.StaleException();
    }
    if (commitAlone(attempt)) {
      return decided;
    }
    expected.wasAnother();
    batch.forEach(PendingWrite::putBack);
    return Optional.empty();
  }

  /**
   * Returns the look-up of keys that are to be removed. If the journal does not end at that head
   * anymore, the append that follows does nothing.
   */
  private Function<long[], HeldHashes> heldAsOf(FilterHead head) {
    return hashes -> session.commitEach(tx -> held(tx, hashes, head));
  }

  private HeldHashes held(Tx tx, long[] hashes, FilterHead head) {
    return HeldHashes.find(tx, context.filter(), hashes, head.lastSeq(), keys::wasAdded);
  }

  /** Returns false if nothing was written. */
  private boolean commitAlone(DecidedBatch attempt) {
    Outcome outcome;
    try {
      outcome =
          session.commitOne(
              tx ->
                  JournalAppend.tryAppend(
                      tx, context.filter(), attempt.head(), attempt.entries(), attempt.counts()));
    } catch (RuntimeException | Error e) {
      if (!rolledBack(e)) {
        throw new CommitUnknownException(attempt, e);
      }
      throw e;
    }
    return outcome == Outcome.APPENDED || (outcome == Outcome.ANOTHER_HEAD && isHeld(attempt));
  }

  /** Something between here and the server may have sent the statement twice. */
  private boolean isHeld(DecidedBatch attempt) {
    try {
      return session.commitEach(
          tx -> Journal.holds(tx, context.id(), attempt.entries().get(0).cursor()));
    } catch (RuntimeException | Error e) {
      throw new CommitUnknownException(attempt, e);
    }
  }

  private DecidedBatch appendLocked(List<PendingWrite> batch) {
    AtomicReference<DecidedBatch> sent = new AtomicReference<>();
    try {
      KnownKeys.UnderLock known = keys.ahead(session::transact, () -> DecidedBatch.hashesOf(batch));
      return session.transact(tx -> appendLocked(tx, batch, known, sent));
    } catch (RuntimeException | Error e) {
      DecidedBatch attempt = sent.get();
      if (attempt != null && attempt.wrote() && !rolledBack(e)) {
        throw new CommitUnknownException(attempt, e);
      }
      throw e;
    }
  }

  /** Returns true if it is certain that nothing was committed. */
  private static boolean rolledBack(Throwable e) {
    return e instanceof DatabaseFailure f && !f.outcomeUnknown();
  }

  /**
   * Decides and appends under the lock.
   *
   * @param sent receives the attempt before anything is written, since COMMIT may fail after it
   */
  private DecidedBatch appendLocked(
      Tx tx,
      List<PendingWrite> batch,
      KnownKeys.UnderLock known,
      AtomicReference<DecidedBatch> sent) {
    tx.group().beforeLocking(tx.dsl());
    FilterHead head = lockHead(tx);
    expected.readUnderLock(head);
    Window window = context.filter().window();
    long now = window == null ? NO_TIME : WindowRows.nowMicros(tx);
    if (window != null && head.bucket() < window.bucketAt(now)) {
      throw new BucketOverException();
    }
    // A caller that gave up while this waited for the lock was told that nothing is recorded.
    List<PendingWrite> taken =
        batch.stream()
            .filter(PendingWrite::take)
            .filter(pending -> pending.event == null || !isRefused(pending, pending.event, now))
            .toList();
    long[] hashes = DecidedBatch.hashesOf(taken);
    Membership held = known.find(tx, head, hashes);
    DecidedBatch attempt =
        DecidedBatch.decide(
            context.filter(), head, taken, hashes, held, wanted -> held(tx, wanted, head), now);
    if (growth.mustGrowFirst(head, attempt.keysToSet())) {
      throw new OutgrownException(head, attempt.keysToSet());
    }
    sent.set(attempt);
    DecisionEntries.append(tx, context, attempt.entries(), attempt.counts());
    return attempt;
  }

  /** Refuses keys of an event that is still to come. Returns true if it did. */
  private boolean isRefused(PendingWrite pending, EventTime event, long now) {
    try {
      event.requireNotToCome(context.filter(), now);
      return false;
    } catch (InvalidParameterException e) {
      pending.answers.completeExceptionally(e);
      return true;
    }
  }

  private FilterHead lockHead(Tx tx) {
    FilterHead head =
        progress
            .whileLocking(() -> Catalog.lockHead(tx, context.filter()))
            .orElseThrow(() -> FilterNotReady.gone(context.filter()));
    FilterNotReady.requireActive(context.filter().name(), head);
    return head;
  }
}
