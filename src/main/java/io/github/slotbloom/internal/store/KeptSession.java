package io.github.slotbloom.internal.store;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs transactions that follow each other quickly on one connection. The session is prepared and
 * restored once, instead of once per transaction, and not at all for single statements.
 *
 * <p>Gives the connection back on {@link #release}, after any failure, and once it has been held
 * for more than 50 milliseconds. So others get their turn even if the pool has only one connection.
 * Not thread-safe.
 */
public final class KeptSession {

  private static final long LONGEST_HOLD_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** How a held session is prepared. */
  private enum Prepared {
    NOT,
    TO_COMMIT_EACH,
    FOR_TRANSACTIONS
  }

  private final Database database;
  private final LongSupplier nanoTime;
  private @Nullable Loan held;
  private long heldSince;
  private Prepared prepared = Prepared.NOT;

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
   * Borrows a connection for what comes next, unless one is held.
   *
   * @throws DatabaseFailure if none can be had
   */
  public void connect() {
    run(loan -> true);
  }

  /**
   * Runs work in a transaction of its own at READ COMMITTED, and commits it.
   *
   * @throws DatabaseFailure if a statement or the commit fails
   */
  public <T> T transact(Function<Tx, T> work) {
    return run(
        loan -> {
          prepare(loan, Prepared.FOR_TRANSACTIONS);
          return database.run(loan, work);
        });
  }

  /**
   * Runs work that only reads, as {@link Database#read} does.
   *
   * @throws DatabaseFailure if a statement fails
   */
  public <T> T read(Function<Tx, T> work) {
    return asItIs(loan -> database.readUnprepared(loan, work), loan -> readPrepared(loan, work));
  }

  /**
   * Runs any work that only reads. Each statement sees the data that is committed when the
   * statement begins.
   *
   * @throws DatabaseFailure if a statement fails
   */
  public <T> T readPrepared(Function<Tx, T> work) {
    return run(loan -> readPrepared(loan, work));
  }

  private <T> T readPrepared(Loan loan, Function<Tx, T> work) {
    prepare(loan, Prepared.TO_COMMIT_EACH);
    return database.readCommittingEach(loan, work);
  }

  /**
   * Runs one statement that the server commits by itself. It runs on a session that is not prepared
   * if that may be, and again on a prepared one if the server refuses it there.
   *
   * @param work runs the statement; {@link Tx#prepared} tells it which settings it has to bring
   * @throws DatabaseFailure if the statement fails; see {@link DatabaseFailure#outcomeUnknown}
   */
  public <T> T commitOne(Function<Tx, T> work) {
    return asItIs(
        loan -> database.runUnprepared(loan, work),
        loan -> {
          prepare(loan, Prepared.TO_COMMIT_EACH);
          return database.runCommittingEach(loan, work);
        });
  }

  /** Runs work on the session as it is, and prepares that only if the work returns empty. */
  private <T> T asItIs(Function<Loan, Optional<T>> unprepared, Function<Loan, T> onPrepared) {
    return run(
        loan ->
            (prepared == Prepared.NOT ? unprepared.apply(loan) : Optional.<T>empty())
                .orElseGet(() -> onPrepared.apply(loan)));
  }

  private <T> T run(Function<Loan, T> work) {
    Loan loan = held;
    held = null;
    if (loan == null) {
      loan = database.borrow();
      prepared = Prepared.NOT;
      heldSince = nanoTime.getAsLong();
    }
    T result;
    try {
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

  private void prepare(Loan loan, Prepared wanted) {
    boolean commitEach = wanted == Prepared.TO_COMMIT_EACH;
    if (prepared == Prepared.NOT) {
      database.prepare(loan, commitEach);
    } else if (prepared != wanted) {
      database.commitEach(loan, commitEach);
    }
    prepared = wanted;
  }

  /** Gives the connection back, if one is held. */
  public void release() {
    Loan loan = held;
    held = null;
    if (loan != null) {
      try (loan) {
        if (prepared != Prepared.NOT) {
          database.restore(loan);
        }
      }
    }
  }
}
