package io.github.slotbloom.error;

import org.jspecify.annotations.Nullable;

/**
 * A connection has no transaction and was given to take part in one, or it has one that Slotbloom
 * did not begin and so must not end. Nothing was done with it, and a transaction that is open goes
 * on.
 */
public final class TransactionStateException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception; thrown before anything is written.
   *
   * @param message names the remedy
   * @param cause what the server says of the transaction, if anything
   */
  public TransactionStateException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
