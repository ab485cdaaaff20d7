package io.github.slotbloom.internal.add;

import io.github.slotbloom.error.AddFailedException;
import io.github.slotbloom.internal.engine.FilterContext;
import io.github.slotbloom.internal.store.Tx;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.journal.Cursor;
import io.github.slotbloom.internal.store.journal.Journal;
import java.lang.ref.WeakReference;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Remembers, for each thread, the transaction of a caller in which it added last. While that
 * transaction is open it holds the lock of the filter, and any other add of the same thread would
 * wait for a lock that only this thread can release. Thread-safe.
 */
public final class LocksOfCallers {

  /** Longer than the question takes, unless the pool has no connection left. */
  private static final long MILLIS_TO_ASK = 1000;

  /** Others hold the lock for milliseconds, and a caller's open transaction at each look. */
  private static final int LOOKS = 3;

  private static final long NANOS_BETWEEN_LOOKS = TimeUnit.MILLISECONDS.toNanos(50);

  /**
   * An add in a caller's transaction.
   *
   * @param connection weak, since the caller keeps it for as long as the transaction is open
   * @param entry the last entry that the add appended
   */
  private record Held(WeakReference<Connection> connection, Cursor entry) {}

  private final FilterContext context;

  @SuppressWarnings("ThreadLocalUsage") // one a filter; a thread keeps no more than a reference
  private final ThreadLocal<@Nullable Held> ofThread = new ThreadLocal<>();

  public LocksOfCallers(FilterContext context) {
    this.context = context;
  }

  /** Takes in that this thread appended an entry in the transaction of that connection. */
  public void taken(Connection connection, Cursor entry) {
    ofThread.set(new Held(new WeakReference<>(connection), entry));
  }

  /**
   * Refuses an add that would wait for a transaction of its own thread. Leaves the caller's
   * connection alone: a statement there could begin a transaction, or take a lock of its own.
   *
   * @throws AddFailedException if that transaction is open
   */
  public void requireFree() {
    Held held = ofThread.get();
    if (held == null) {
      return;
    }
    for (int look = 1; mayBeOpen(held.connection().get()) && isLocked(held.entry()); look++) {
      if (look == LOOKS) {
        throw AddFailures.heldByThisThread(context.name());
      }
      LockSupport.parkNanos(this, NANOS_BETWEEN_LOOKS);
    }
    ofThread.remove();
  }

  private static boolean mayBeOpen(@Nullable Connection connection) {
    try {
      return connection != null && !connection.isClosed() && !connection.getAutoCommit();
    } catch (SQLException e) {
      return false;
    }
  }

  /** Returns false where the database does not tell in time: then the add waits as any other. */
  private boolean isLocked(Cursor entry) {
    try {
      return context
          .io()
          .supply(() -> context.database().transact(tx -> isLocked(tx, entry)))
          .get(MILLIS_TO_ASK, TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** An entry that is not in the journal was rolled back, or is not committed yet. */
  private boolean isLocked(Tx tx, Cursor entry) {
    return !Journal.holds(tx, context.id(), entry) && Catalog.isHeadLocked(tx, context.id());
  }
}
