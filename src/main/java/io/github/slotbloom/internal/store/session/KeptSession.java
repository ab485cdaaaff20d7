package io.github.slotbloom.internal.store.session;

import io.github.slotbloom.error.TransactionStateException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jooq.exception.DataAccessException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs work on one borrowed connection. The session is prepared once for transactions that follow
 * each other quickly, restored when the connection goes back, and left as it is for single
 * statements where that may be.
 *
 * <p>Gives the connection back on {@link #close}, after any failure, and once it has been held for
 * more than 50 milliseconds. So others get their turn even if the pool has only one connection.
 * Borrows it again for what comes after that. Not thread-safe.
 */
public final class KeptSession implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(KeptSession.class);

  private static final long LONGEST_HOLD_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** How a held session is prepared. */
  private enum Prepared {
    NOT,
    TO_COMMIT_EACH,
    FOR_TRANSACTIONS
  }

  private final Sessions sessions;
  private final LongSupplier nanoTime;
  private @Nullable Loan held;
  private long heldSince;
  private Prepared prepared = Prepared.NOT;

  /** Creates a session for work that is done at once. */
  KeptSession(Sessions sessions) {
    this(sessions, () -> 0);
  }

  /**
   * Creates a session for work that may follow.
   *
   * @param nanoTime a monotonic clock in nanoseconds
   */
  KeptSession(Sessions sessions, LongSupplier nanoTime) {
    this.sessions = sessions;
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
    return onPrepared(
        Prepared.FOR_TRANSACTIONS,
        (loan, connection) -> {
          T result = work.apply(sessions.tx(connection, loan.statements(), true));
          commit(loan, connection);
          return result;
        });
  }

  /** Commits. A failure tells if the commit may have taken effect all the same. */
  private static void commit(Loan loan, Connection connection) {
    try {
      Session.commit(connection);
    } catch (SQLException | RuntimeException | Error e) {
      DatabaseFailure failure = DatabaseFailure.ofCommit(e);
      if (failure.outcomeUnknown()) {
        loan.discard(e);
      }
      throw failure;
    }
  }

  /**
   * Runs work that only reads, as {@link Database#read} does.
   *
   * @throws DatabaseFailure if a statement fails
   */
  public <T> T read(Function<Tx, T> work) {
    return asItIs((loan, connection) -> readAsItIs(loan, connection, work))
        .orElseGet(() -> readPrepared(work));
  }

  /**
   * Runs any work that only reads. Each statement sees the data that is committed when the
   * statement begins.
   *
   * @throws DatabaseFailure if a statement fails
   */
  public <T> T readPrepared(Function<Tx, T> work) {
    return onPrepared(
        Prepared.TO_COMMIT_EACH,
        (loan, connection) -> work.apply(sessions.tx(connection, loan.statements(), true)));
  }

  /**
   * Runs one statement that the server autocommits. It runs on a session that is not prepared if
   * that may be, and again on a prepared one if the server refuses it there.
   *
   * @param work runs the statement; {@link Tx#prepared} tells it which settings it has to bring
   * @throws DatabaseFailure if the statement fails; see {@link DatabaseFailure#outcomeUnknown}
   */
  public <T> T commitOne(Function<Tx, T> work) {
    return asItIs((loan, connection) -> commitAsItIs(loan, connection, work))
        .orElseGet(() -> commitPrepared(work));
  }

  private <T> T commitPrepared(Function<Tx, T> work) {
    return onPrepared(
        Prepared.TO_COMMIT_EACH,
        (loan, connection) -> {
          try {
            return work.apply(sessions.tx(connection, loan.statements(), true));
          } catch (DataAccessException | DatabaseFailure e) {
            if (DatabaseFailure.of(e).certainlyRefused()) {
              throw e;
            }
            loan.discard(e);
            throw DatabaseFailure.ofCommit(e);
          }
        });
  }

  /** Returns empty if the session is not fit for reads without our settings. */
  private <T> Optional<T> readAsItIs(Loan loan, Connection connection, Function<Tx, T> work)
      throws SQLException {
    if (!connection.getAutoCommit()) {
      return Optional.empty();
    }
    try {
      T result = work.apply(sessions.tx(connection, loan.statements(), false));
      if (SessionStatus.read(connection).filter(SessionStatus::inTransaction).isEmpty()) {
        return Optional.of(result);
      }
      // What was read in a transaction of somebody else may be as old as that.
    } catch (SessionUnfit e) {
      log.debug("a read is repeated on a prepared session", e);
    } catch (DataAccessException | DatabaseFailure e) {
      if (!DatabaseFailure.of(e).sessionUnfit()) {
        throw e;
      }
    }
    endSnapshot(connection);
    return Optional.empty();
  }

  /**
   * Ends the transaction that a read began if the server is not in autocommit mode, though the
   * driver thinks so. Where the server is, a transaction that is open was begun by somebody else.
   */
  private static void endSnapshot(Connection connection) throws SQLException {
    if (!Session.commitsEach(connection)) {
      Session.rollback(connection);
    }
  }

  /**
   * Returns empty if nothing was written, and the session has to be prepared first: it is not known
   * to commit each statement, a server of a group has to be asked for its role, or the server
   * refused the statement.
   */
  private <T> Optional<T> commitAsItIs(Loan loan, Connection connection, Function<Tx, T> work)
      throws SQLException {
    if (!sessions.commitsAlone()
        || !connection.getAutoCommit()
        || SessionStatus.readOrAsk(connection).filter(SessionStatus::commitsEach).isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(work.apply(sessions.tx(connection, loan.statements(), false)));
    } catch (DataAccessException | DatabaseFailure e) {
      if (DatabaseFailure.of(e).certainlyRefused()) {
        log.debug("a statement is repeated on a prepared session", e);
        return Optional.empty();
      }
      loan.discard(e);
      throw DatabaseFailure.ofCommit(e);
    } catch (Throwable e) {
      loan.discard(e);
      throw e;
    }
  }

  /** Work on a connection that is held. */
  @FunctionalInterface
  private interface Work<T> {
    T on(Loan loan, Connection connection) throws SQLException;
  }

  /** Runs work on the session as it is, unless it is prepared already. */
  private <T> Optional<T> asItIs(Work<Optional<T>> work) {
    return run(
        loan ->
            prepared == Prepared.NOT
                ? loan.run(connection -> work.on(loan, connection))
                : Optional.empty());
  }

  /** Runs work on a prepared session. If it fails, it is rolled back, and the session restored. */
  private <T> T onPrepared(Prepared wanted, Work<T> work) {
    return run(
        loan ->
            loan.run(
                connection -> {
                  try {
                    prepare(connection, wanted);
                    return work.on(loan, connection);
                  } catch (Throwable e) {
                    if (prepared != Prepared.NOT || !(e instanceof TransactionStateException)) {
                      rollback(loan, connection, e);
                    }
                    throw e;
                  }
                }));
  }

  private void prepare(Connection connection, Prepared wanted) throws SQLException {
    boolean commitEach = wanted == Prepared.TO_COMMIT_EACH;
    if (prepared == Prepared.NOT) {
      sessions.ours().prepare(connection, commitEach);
    } else if (prepared != wanted) {
      Session.commitEach(connection, commitEach);
    }
    prepared = wanted;
  }

  private void rollback(Loan loan, Connection connection, Throwable reason) {
    prepared = Prepared.NOT;
    if (loan.isDiscarded()) {
      return;
    }
    try {
      Session.rollback(connection);
      sessions.ours().restore(connection);
    } catch (SQLException | RuntimeException | Error e) {
      reason.addSuppressed(e);
      loan.discard(reason);
    }
  }

  private <T> T run(Function<Loan, T> work) {
    Loan loan = held;
    held = null;
    if (loan == null) {
      loan = sessions.borrow();
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
      close();
    }
    return result;
  }

  /**
   * Gives the connection back, if one is held. Throws nothing: the work is committed already, so a
   * failure here must not look like a failure of the work.
   */
  @Override
  public void close() {
    Loan loan = held;
    held = null;
    if (loan == null) {
      return;
    }
    try (loan) {
      restore(loan);
    }
  }

  /** Discards a connection that cannot be restored, while it is still lent. */
  private void restore(Loan loan) {
    try {
      if (prepared != Prepared.NOT) {
        sessions.ours().restore(loan.connection());
      }
    } catch (SQLException | RuntimeException | Error e) {
      log.debug("could not restore the session settings, so the connection is discarded", e);
      loan.discard(e);
    }
  }

  /**
   * Thrown by the first read of some work if the settings of the session are unfit for reading
   * without our settings.
   */
  static final class SessionUnfit extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }
}
