package io.github.slotbloom.internal.store;

import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Transactions that come one soon after the other, on one connection that is prepared for them and
 * restored once, rather than for each.
 *
 * <p>It gives the connection back when it is told to, when anything fails, and after a while, so
 * that others have their turn where the pool has but one. Not thread-safe.
 */
public final class KeptSession {

  private static final long LONGEST_HOLD_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final Transactions transactions;
  private @Nullable Loan held;
  private long heldSince;

  KeptSession(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * Runs work in a transaction of its own, READ COMMITTED, and commits it.
   *
   * @throws DatabaseFailure if a statement or the commit fails
   */
  public <T> T transact(Function<Tx, T> work) {
    Loan prepared = held;
    held = null;
    Loan loan = prepared == null ? transactions.borrow() : prepared;
    T result;
    try {
      if (prepared == null) {
        heldSince = System.nanoTime();
        transactions.prepare(loan);
      }
      result = transactions.run(loan, work);
    } catch (Throwable e) {
      loan.close();
      throw e;
    }
    held = loan;
    if (System.nanoTime() - heldSince > LONGEST_HOLD_NANOS) {
      release();
    }
    return result;
  }

  /** Gives the connection back, if it has one. */
  public void release() {
    Loan loan = held;
    held = null;
    if (loan != null) {
      try (loan) {
        transactions.restore(loan);
      }
    }
  }
}
