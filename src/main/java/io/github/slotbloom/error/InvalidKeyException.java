package io.github.slotbloom.error;

/**
 * A key cannot be stored: it is too long, or text that is not valid Unicode; nothing was recorded.
 */
public final class InvalidKeyException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception; thrown before the key reaches the database.
   *
   * @param message names the filter, the value and the remedy
   */
  public InvalidKeyException(String message) {
    super(message);
  }
}
