package io.github.slotbloom.internal.add;

import io.github.slotbloom.core.Window;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.TransactionStateException;
import io.github.slotbloom.internal.add.PendingWrite.Kind;
import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.context.ServerWatch;
import io.github.slotbloom.internal.duty.SelfGrowth;
import io.github.slotbloom.internal.membership.KnownKeys;
import io.github.slotbloom.internal.membership.Membership;
import io.github.slotbloom.internal.mirror.FilterNotReady;
import io.github.slotbloom.internal.store.catalog.ExpiryRows;
import io.github.slotbloom.internal.store.catalog.HeadLock;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.journal.HeldHashes;
import io.github.slotbloom.internal.store.journal.JournalAppend;
import io.github.slotbloom.internal.store.journal.JournalAppend.Outcome;
import io.github.slotbloom.internal.store.journal.TailReader;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import io.github.slotbloom.internal.store.session.KeptSession;
import io.github.slotbloom.internal.store.session.Tx;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/**
 * Decides which keys of a batch are new, and appends those to the journal.
 *
 * <p>It decides first, and appends in one statement that fails if anything was appended meanwhile.
 * If that happens, and for a while afterward, it locks the filter's head before it decides. Used by
 * one thread at a time.
 */
final class WriteTransaction {

  /** The time where it does not matter. */
  private static final long NO_TIME = 0;

  private final FollowedFilter followed;
  private final KeptSession session;
  private final ServerWatch server;
  private final KnownKeys keys;
  private final SelfGrowth growth;
  private final WriterProgress progress;
  private final ExpectedHead expected = new ExpectedHead();

  WriteTransaction(
      FollowedFilter followed,
      KeptSession session,
      ServerWatch server,
      KnownKeys keys,
      SelfGrowth growth,
      WriterProgress progress) {
    this.followed = followed;
    this.session = session;
    this.server = server;
    this.keys = keys;
    this.growth = growth;
    this.progress = progress;
  }

  /** Gives the connection back, if one is kept. */
  void release() {
    session.close();
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
      return appendUnlocked(batch).orElseGet(() -> appendLocked(batch));
    } catch (CommitUnknownException e) {
      // Whoever finds out what became of it leaves another head.
      expected.wasAnother();
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
   * Decides without the lock, and appends in one statement, which does nothing if the head is
   * another one by then. If it is the same, nothing was appended meanwhile, and the decision is the
   * same as under the lock.
   *
   * @return empty if nothing was written, and the lock has to be taken first
   */
  private Optional<DecidedBatch> appendUnlocked(List<PendingWrite> batch) {
    if (expected.locksFirst()
        || (followed.now().window() != null
            && batch.stream().anyMatch(pending -> pending.event != null))) {
      // Only the lock can show that the time of an event is as expected.
      return Optional.empty();
    }
    long[] hashes = DecidedBatch.hashesOf(batch);
    FilterHead guessed = expected.get();
    while (true) {
      Optional<KnownKeys.AtHead> known = keys.presumed(guessed, hashes, session::read);
      // An empty journal has no token that would identify it.
      if (known.isEmpty() || known.get().head().lastSeq() == 0) {
        return Optional.empty();
      }
      Optional<DecidedBatch> done = appendIf(known.get(), batch, hashes);
      if (done.isPresent() || known.get().wasRead() || expected.locksFirst()) {
        return done;
      }
      guessed = null;
    }
  }

  /** Returns empty if nothing was written. */
  private Optional<DecidedBatch> appendIf(
      KnownKeys.AtHead known, List<PendingWrite> batch, long[] hashes) {
    FilterHead head = known.head();
    if (known.wasRead()) {
      expected.read(head);
    }
    DecidedBatch attempt =
        DecidedBatch.decide(
            followed.now(), head, batch, hashes, known.held(), heldAsOf(head), NO_TIME);
    if (!isSettled(attempt, known.wasRead())) {
      return Optional.empty();
    }
    // Who gives up while a connection is waited for can still be told that nothing is recorded.
    session.connect();
    if (!batch.stream().allMatch(PendingWrite::take)) {
      // A caller that gave up meanwhile was told that nothing is recorded, so decide again without
      // it.
      throw new KnownKeys.StaleException();
    }
    if (!attempt.wrote() || commitAlone(attempt, known.wasRead())) {
      return Optional.of(attempt);
    }
    batch.forEach(PendingWrite::putBack);
    return Optional.empty();
  }

  /**
   * Returns true if a decision holds if the head is as expected. What writes nothing cannot show
   * that by an append: it holds if the head was read, what was read survives a crash, and nothing
   * was looked up after that.
   */
  private boolean isSettled(DecidedBatch attempt, boolean read) {
    return attempt.wrote()
        ? !growth.mustGrowFirst(attempt.head(), attempt.keysToSet())
        : read
            && followed.now().window() == null
            && server.visibleIsDurable()
            && attempt.batch().stream().allMatch(pending -> pending.kind == Kind.ADD);
  }

  /**
   * Returns the look-up of keys that are to be removed. If the journal does not end at that head
   * anymore, the append that follows does nothing.
   */
  private Function<long[], HeldHashes> heldAsOf(FilterHead head) {
    return hashes -> session.readPrepared(tx -> held(tx, hashes, head));
  }

  private HeldHashes held(Tx tx, long[] hashes, FilterHead head) {
    FilterRecord known = followed.now();
    FilterRecord filter = known.knows(head) ? known : followed.requireUnchanged(tx);
    return HeldHashes.find(tx, filter, hashes, head.lastSeq(), keys::wasAdded);
  }

  /** Returns false if nothing was written. */
  private boolean commitAlone(DecidedBatch attempt, boolean read) {
    Outcome outcome;
    try {
      outcome =
          session.commitOne(
              tx ->
                  JournalAppend.tryAppend(
                      tx, followed.now(), attempt.head(), attempt.entries(), attempt.counts()));
    } catch (RuntimeException | Error e) {
      if (!rolledBack(e)) {
        throw new CommitUnknownException(attempt, e);
      }
      throw e;
    }
    if (outcome == Outcome.APPENDED || (outcome == Outcome.ANOTHER_HEAD && isHeld(attempt))) {
      return true;
    }
    if (read || outcome == Outcome.HEAD_LOCKED) {
      expected.collided();
    } else {
      expected.wasAnother();
    }
    return false;
  }

  /** Something between here and the server may have sent the statement twice. */
  private boolean isHeld(DecidedBatch attempt) {
    try {
      return session.read(
          tx -> TailReader.holds(tx, followed.now(), attempt.entries().get(0).cursor()));
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
    return e instanceof TransactionStateException
        || (e instanceof DatabaseFailure f && !f.outcomeUnknown());
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
    expected.read(head);
    Window window = followed.now().window();
    long now = window == null ? NO_TIME : ExpiryRows.nowMicros(tx);
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
            followed.now(), head, taken, hashes, held, wanted -> held(tx, wanted, head), now);
    if (growth.mustGrowFirst(head, attempt.keysToSet())) {
      throw new OutgrownException(head, attempt.keysToSet());
    }
    sent.set(attempt);
    DecisionEntries.append(tx, followed.id(), attempt.entries(), attempt.counts(), server);
    return attempt;
  }

  /** Refuses keys of an event that is still to come. Returns true if it did. */
  private boolean isRefused(PendingWrite pending, EventTime event, long now) {
    try {
      event.requireNotToCome(followed.now(), now);
      return false;
    } catch (InvalidParameterException e) {
      pending.answers.completeExceptionally(e);
      return true;
    }
  }

  private FilterHead lockHead(Tx tx) {
    FilterHead head =
        progress
            .whileLocking(() -> HeadLock.take(tx, followed.now()))
            .orElseThrow(() -> FilterNotReady.gone(followed.now()));
    FilterNotReady.requireActive(followed.name(), head);
    return head;
  }
}
