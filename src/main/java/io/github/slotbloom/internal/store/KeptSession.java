package io.github.slotbloom.internal.store;

import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs transactions that follow each other quickly on one connection. The session is prepared and
 * restored once, instead of once per transaction.
 *
 * <p>Gives the connection back on {@link #release}, after any failure, and once it has been held
 * for more than 50 milliseconds. So others get their turn even if the pool has only one connection.
 * Not thread-safe.
 */
public final class KeptSession {

  private static final long LONGEST_HOLD_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final Database database;
  private final LongSupplier nanoTime;
  private @Nullable Loan held;
  private long heldSince;
  private boolean commitsEach;

  /**
   * Creates the runner of such transactions.
   *
   * @param nanoTime a monotonic clock in nanoseconds
   */
  public KeptSession(Database database, LongSupplier nanoTime) {
    this.database = database;
    this.nanoTime = nanoTime;
  }

  /**
   * Runs work in a transaction of its own at READ COMMITTED, and commits it.
   *
   * @throws DatabaseFailure if a statement or the commit fails
   */
  public <T> T transact(Function<Tx, T> work) {
    return run(false, loan -> database.run(loan, work));
  }

  /**
   * Runs work without a transaction: the server commits each statement by itself, at READ
   * COMMITTED.
   *
   * @throws DatabaseFailure if a statement fails; see {@link DatabaseFailure#outcomeUnknown}
   */
  public <T> T commitEach(Function<Tx, T> work) {
    return run(true, loan -> database.runCommittingEach(loan, work));
  }

  private <T> T run(boolean commitEach, Function<Loan, T> work) {
    Loan prepared = held;
    held = null;
    Loan loan = prepared == null ? database.borrow() : prepared;
    T result;
    try {
      if (prepared == null) {
        heldSince = nanoTime.getAsLong();
        database.prepare(loan, commitEach);
      } else if (commitsEach != commitEach) {
        database.commitEach(loan, commitEach);
      }
      commitsEach = commitEach;
      result = work.apply(loan);
    } catch (Throwable e) {
      loan.close();
      throw e;
    }
    held = loan;
    if (nanoTime.getAsLong() - heldSince > LONGEST_HOLD_NANOS) {
      release();
    }
    return result;
  }

  /** Gives the connection back, if one is held. */
  public void release() {
    Loan loan = held;
    held = null;
    if (loan != null) {
      try (loan) {
        database.restore(loan);
      }
    }
  }
}
