package io.github.slotbloom.internal.store;

/**
 * A savepoint could not be returned to after a failure, which is the cause: the server has rolled
 * the whole transaction back, as it does with the victim of a deadlock, or the connection broke.
 */
public final class TransactionLost extends RuntimeException {
  private static final long serialVersionUID = 1L;

  TransactionLost(Throwable cause) {
    super(cause);
  }
}
