package io.github.slotbloom.error;

/** The filter was closed by this process. */
public final class FilterClosedException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception; thrown by a call that came after the close.
   *
   * @param message names the filter, the value and the remedy
   */
  public FilterClosedException(String message) {
    super(message);
  }
}
