package io.github.slotbloom.error;

/**
 * The data source handed out a connection that is inside a transaction that Slotbloom did not
 * begin. Nothing was done with it, and the transaction goes on.
 */
public final class OpenTransactionException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message names the remedy
   * @param cause what the server says of the transaction
   */
  public OpenTransactionException(String message, Throwable cause) {
    super(message, cause);
  }
}
