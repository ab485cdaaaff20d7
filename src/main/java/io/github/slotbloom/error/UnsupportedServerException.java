package io.github.slotbloom.error;

/** The database server is too old, or is not known. */
public final class UnsupportedServerException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception; thrown when a server is connected to.
   *
   * @param message names the version and the remedy
   */
  public UnsupportedServerException(String message) {
    super(message);
  }
}
