package io.github.slotbloom.error;

/** The filter was written in a format that this version of the library does not know. */
public final class UnsupportedFormatException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception; thrown where the format is read.
   *
   * @param message names the filter, the value and the remedy
   */
  public UnsupportedFormatException(String message) {
    super(message);
  }
}
