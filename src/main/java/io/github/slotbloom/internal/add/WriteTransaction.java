package io.github.slotbloom.internal.add;

import io.github.slotbloom.internal.ask.KnownKeys;
import io.github.slotbloom.internal.ask.Membership;
import io.github.slotbloom.internal.engine.FilterContext;
import io.github.slotbloom.internal.mirror.FilterNotReady;
import io.github.slotbloom.internal.store.DatabaseFailure;
import io.github.slotbloom.internal.store.KeptSession;
import io.github.slotbloom.internal.store.Tx;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.FilterHead;
import io.github.slotbloom.internal.store.journal.Journal;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Writes one batch in a transaction: locks the filter's head, decides which keys are new, and
 * appends those to the journal. Used by one thread at a time.
 */
final class WriteTransaction {

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
    this.session = new KeptSession(context.database());
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
   */
  DecidedBatch commit(List<PendingAdd> batch) {
    AtomicReference<DecidedBatch> sent = new AtomicReference<>();
    try {
      KnownKeys.UnderLock known = keys.ahead(session::transact, () -> DecidedBatch.hashesOf(batch));
      return session.transact(tx -> write(tx, batch, known, sent));
    } catch (KnownKeys.StaleException | OutgrownException e) {
      throw e;
    } catch (RuntimeException | Error e) {
      DecidedBatch attempt = sent.get();
      if (attempt != null && attempt.wrote() && !rolledBack(e)) {
        throw new CommitUnknownException(attempt, e);
      }
      throw e;
    }
  }

  /** Takes in that an attempt took place. The next one begins where it ended. */
  void committed(DecidedBatch attempt) {
    expected.committed(attempt.headAfter());
  }

  /** Returns true if it is certain that COMMIT was not sent. */
  private static boolean rolledBack(Throwable e) {
    return e instanceof DatabaseFailure f && !f.outcomeUnknown();
  }

  /**
   * Decides and writes under the lock.
   *
   * @param sent receives the attempt before anything is written, since COMMIT may fail after it
   */
  private DecidedBatch write(
      Tx tx,
      List<PendingAdd> batch,
      KnownKeys.UnderLock known,
      AtomicReference<DecidedBatch> sent) {
    Optional<DecidedBatch> withoutReading =
        expected.get().flatMap(head -> writeIfHeadIsAsExpected(tx, batch, head, sent));
    return withoutReading.orElseGet(() -> writeLocked(tx, batch, known, sent));
  }

  /**
   * Decides first and locks the head afterwards, by changing it. If the head is as expected,
   * nothing was appended meanwhile, and the decision is the same as under the lock.
   *
   * @return empty if the head is not as expected, or if there is nothing to append
   */
  private Optional<DecidedBatch> writeIfHeadIsAsExpected(
      Tx tx, List<PendingAdd> batch, FilterHead head, AtomicReference<DecidedBatch> sent) {
    long[] hashes = DecidedBatch.hashesOf(batch);
    Optional<Membership> held = keys.presumed(head, hashes);
    if (held.isEmpty()) {
      return Optional.empty();
    }
    DecidedBatch attempt = DecidedBatch.decide(head, batch, hashes, held.get(), head.room());
    if (growth.mustGrowFirst(head, attempt.newKeys())) {
      // Only the state read under the lock shows whether growth must come first.
      return Optional.empty();
    }
    // Where nothing is appended, only the lock could show that the head is as expected.
    if (!attempt.wrote() || !progress.whileLocking(() -> moveHead(tx, attempt))) {
      expected.wasAnother();
      return Optional.empty();
    }
    if (!batch.stream().allMatch(PendingAdd::take)) {
      // A caller that gave up meanwhile was told that nothing is recorded, so decide again without
      // it.
      throw new KnownKeys.StaleException();
    }
    sent.set(attempt);
    Journal.insert(tx, context.id(), attempt.entries());
    return Optional.of(attempt);
  }

  /**
   * Locks the head, and moves it to the end of new entries if it is as expected.
   *
   * @return false if it is not as expected, and nothing was changed
   */
  private boolean moveHead(Tx tx, DecidedBatch attempt) {
    return Catalog.advanceFrom(
        tx, context.filter(), attempt.head(), attempt.headAfter().end(), attempt.keysWritten());
  }

  private DecidedBatch writeLocked(
      Tx tx,
      List<PendingAdd> batch,
      KnownKeys.UnderLock known,
      AtomicReference<DecidedBatch> sent) {
    FilterHead head = lockHead(tx);
    expected.readUnderLock(head);
    // A caller that gave up while this waited for the lock was told that nothing is recorded.
    List<PendingAdd> taken = batch.stream().filter(PendingAdd::take).toList();
    long[] hashes = DecidedBatch.hashesOf(taken);
    Membership held = known.find(tx, head, hashes);
    DecidedBatch attempt = DecidedBatch.decide(head, taken, hashes, held, head.room());
    if (growth.mustGrowFirst(head, attempt.newKeys())) {
      throw new OutgrownException(head, attempt.newKeys());
    }
    sent.set(attempt);
    JournalAppend.append(tx, context, attempt.entries());
    return attempt;
  }

  private FilterHead lockHead(Tx tx) {
    FilterHead head =
        progress
            .whileLocking(() -> Catalog.lockHead(tx, context.filter()))
            .orElseThrow(() -> FilterNotReady.gone(context.filter().name()));
    FilterNotReady.requireActive(context.filter().name(), head);
    return head;
  }
}
