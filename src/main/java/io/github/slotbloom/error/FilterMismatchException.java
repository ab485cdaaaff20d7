package io.github.slotbloom.error;

/**
 * A filter was opened with other parameters than it was made with; the message shows both sides.
 */
public final class FilterMismatchException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception; thrown while opening.
   *
   * @param message names the filter, the value and the remedy
   */
  public FilterMismatchException(String message) {
    super(message);
  }
}
