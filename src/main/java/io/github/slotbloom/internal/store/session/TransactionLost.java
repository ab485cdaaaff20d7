package io.github.slotbloom.internal.store.session;

/**
 * Thrown if a failure ended the whole transaction of a caller. The cause is that failure. Either
 * the server rolled the transaction back, as it does with the victim of a deadlock, or the
 * connection broke.
 */
public final class TransactionLost extends RuntimeException {
  private static final long serialVersionUID = 1L;

  TransactionLost(Throwable cause) {
    super(cause);
  }
}
