package io.github.slotbloom.error;

/**
 * A connection was given to take part in its transaction, but it has none; nothing was recorded.
 */
public final class TransactionRequiredException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception; thrown before anything is written.
   *
   * @param message names the filter, the value and the remedy
   */
  public TransactionRequiredException(String message) {
    super(message);
  }
}
