package io.github.slotbloom.error;

/** The database server is too old or not known, or connections may lead to several servers. */
public final class UnsupportedServerException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception; thrown when a server is connected to, or a transaction of a caller is
   * given.
   *
   * @param message names the version, or what leads to several servers, and the remedy
   */
  public UnsupportedServerException(String message) {
    super(message);
  }
}
