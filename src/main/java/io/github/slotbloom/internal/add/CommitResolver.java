package io.github.slotbloom.internal.add;

import io.github.slotbloom.internal.context.ServerWatch;
import io.github.slotbloom.internal.failure.Failures;
import io.github.slotbloom.internal.failure.Retry;
import io.github.slotbloom.internal.store.Tokens;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.HeadLock;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import io.github.slotbloom.internal.store.session.Transactions;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.time.Deadline;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out whether a transaction took place if its COMMIT got no answer. The journal shows it: the
 * token of the transaction's first entry is there, or another entry or none is in its place.
 * Thread-safe.
 */
final class CommitResolver {

  enum Fate {
    COMMITTED,
    NOT_COMMITTED,
    /** The database cannot be asked, the filter was dropped, or the entry was trimmed since. */
    UNKNOWN
  }

  private static final Logger log = LoggerFactory.getLogger(CommitResolver.class);

  private final FilterRecord filter;
  private final Transactions transactions;
  private final ServerWatch server;

  CommitResolver(FilterRecord filter, Transactions transactions, ServerWatch server) {
    this.filter = filter;
    this.transactions = transactions;
    this.server = server;
  }

  /**
   * Asks the database until it answers, or until the deadline.
   *
   * @param attempt an attempt that wrote entries
   */
  Fate resolve(DecidedBatch attempt, Deadline deadline) {
    try {
      return Retry.ofCall()
          .until(deadline, this::mayBeKnownLater, () -> transactions.ask(tx -> fate(tx, attempt)));
    } catch (DatabaseFailure e) {
      return Fate.UNKNOWN;
    }
  }

  private boolean mayBeKnownLater(RuntimeException failure) {
    log.debug("the outcome of a commit to filter {} is not known yet", filter.name(), failure);
    return Failures.repeatable(failure);
  }

  /**
   * Reads the fate under the lock. The lock is granted only when the old transaction is over, and
   * one that did not begin yet is fenced off, so the answer is final.
   */
  private Fate fate(Tx tx, DecidedBatch attempt) {
    Optional<FilterHead> head = HeadLock.take(tx, filter.id());
    if (head.isEmpty()) {
      return Fate.UNKNOWN;
    }
    JournalEntry first = attempt.entries().get(0);
    if (head.get().lastSeq() < first.seq()) {
      // A statement that commits implicitly takes the lock only when it arrives, perhaps later.
      HeadLock.fenceOff(tx, filter.id(), Tokens.next());
      return Fate.NOT_COMMITTED;
    }
    if (!server.visibleIsDurable()) {
      Catalog.tick(tx, filter.id());
    }
    return Journal.tokenAt(tx, filter.id(), first.seq())
        .map(token -> token == first.token() ? Fate.COMMITTED : Fate.NOT_COMMITTED)
        .orElse(Fate.UNKNOWN);
  }
}
