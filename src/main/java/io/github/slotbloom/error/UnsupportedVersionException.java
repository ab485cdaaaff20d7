package io.github.slotbloom.error;

/**
 * The database server is too old or not known, connections may lead to several servers, or a filter
 * is stored in the format of a later version of the library.
 */
public final class UnsupportedVersionException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception; thrown where the version is read.
   *
   * @param message names the version, or what leads to several servers, and the remedy
   */
  public UnsupportedVersionException(String message) {
    super(message);
  }
}
