package io.github.slotbloom.internal.add;

import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.internal.engine.FilterContext;
import io.github.slotbloom.internal.failure.Failures;
import io.github.slotbloom.internal.store.Tx;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.journal.Cursor;
import io.github.slotbloom.internal.store.journal.Journal;
import java.lang.ref.WeakReference;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Remembers, for each thread, the transaction of a caller that the thread gave to this filter last.
 * While that transaction is open it has a connection, perhaps the only one of the pool, and after
 * an add it also holds the lock of the filter. What needs either of them outside the transaction
 * would wait for something that only this thread can release. Thread-safe.
 */
public final class TransactionOfThread {

  /** Longer than a pool takes that has a connection left, and than a look at the lock. */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

  /** Others hold the lock for milliseconds, and a caller's open transaction at each look. */
  private static final int LOOKS = 3;

  private static final long NANOS_BETWEEN_LOOKS = TimeUnit.MILLISECONDS.toNanos(50);

  /**
   * A caller's transaction.
   *
   * @param connection weak, since the caller keeps it for as long as the transaction is open
   * @param entry the last entry that an add appended; null without an add
   */
  private record Given(WeakReference<Connection> connection, @Nullable Cursor entry) {

    boolean mayBeOpen() {
      Connection given = connection.get();
      try {
        return given != null && !given.isClosed() && !given.getAutoCommit();
      } catch (SQLException e) {
        return false;
      }
    }
  }

  private final FilterContext context;

  @SuppressWarnings("ThreadLocalUsage") // one a filter; a thread keeps no more than a reference
  private final ThreadLocal<@Nullable Given> ofThread = new ThreadLocal<>();

  public TransactionOfThread(FilterContext context) {
    this.context = context;
  }

  /** Takes in that this thread will add in the transaction of that connection. */
  public void given(Connection connection) {
    Given before = ofThread.get();
    if (before == null || before.connection().get() != connection) {
      ofThread.set(new Given(new WeakReference<>(connection), null));
    }
  }

  /** Takes in that this thread appended an entry in the transaction of that connection. */
  public void appended(Connection connection, Cursor entry) {
    ofThread.set(new Given(new WeakReference<>(connection), entry));
  }

  /** Returns true if this thread gave a transaction that may still be open. */
  public boolean mayBeOpen() {
    Given given = ofThread.get();
    return given != null && given.mayBeOpen();
  }

  /**
   * Refuses an add that would wait for a transaction of its own thread. Leaves the caller's
   * connection alone: a statement there could begin a transaction, or take a lock of its own.
   *
   * @throws WriteFailedException if that transaction is open, and holds the lock of the filter or
   *     the last connection of the pool
   */
  public void requireLock() {
    Given given = ofThread.get();
    if (given == null) {
      return;
    }
    for (int look = 1; given.mayBeOpen(); look++) {
      if (!canBorrow()) {
        throw WriteFailures.noConnectionLeft(context.name(), LONGEST_WAIT);
      }
      if (!isLocked(given.entry())) {
        ofThread.set(new Given(given.connection(), null));
        return;
      }
      if (look == LOOKS) {
        throw WriteFailures.heldByThisThread(context.name());
      }
      context.time().rest(this, NANOS_BETWEEN_LOOKS);
    }
    ofThread.remove();
  }

  /**
   * Refuses a question that would wait for a connection that its own thread holds.
   *
   * @throws FilterUnavailableException if the thread's transaction is open, and the pool gives no
   *     other connection
   */
  public void requireConnection() {
    Given given = ofThread.get();
    if (given == null) {
      return;
    }
    if (!given.mayBeOpen()) {
      ofThread.remove();
    } else if (!canBorrow()) {
      throw new Failures(context.name()).ofNoConnectionLeft(LONGEST_WAIT);
    }
  }

  /** Returns true also where the database fails, since whoever uses it next tells that better. */
  private boolean canBorrow() {
    try {
      return ask(context.database()::borrowOnce, true);
    } catch (TimeoutException e) {
      return false;
    }
  }

  /**
   * Returns false where the database does not tell in time: then the add waits as any other. An
   * entry that is not in the journal was rolled back, or is not committed yet.
   */
  private boolean isLocked(@Nullable Cursor entry) {
    try {
      return entry != null
          && ask(() -> context.database().transact(tx -> isLocked(tx, entry)), false);
    } catch (TimeoutException e) {
      return false;
    }
  }

  private boolean isLocked(Tx tx, Cursor entry) {
    return !Journal.holds(tx, context.id(), entry) && Catalog.isHeadLocked(tx, context.id());
  }

  private boolean ask(Supplier<Boolean> question, boolean otherwise) throws TimeoutException {
    try {
      return context.io().supply(question).get(LONGEST_WAIT.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      return otherwise;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return otherwise;
    }
  }
}
