package io.github.slotbloom.error;

/**
 * A connection was given to take part in its transaction, but it has none; nothing was recorded.
 */
public final class TransactionRequiredException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  public TransactionRequiredException(String message) {
    super(message);
  }
}
