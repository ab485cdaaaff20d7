package io.github.slotbloom.error;

/**
 * Two things do not fit: a filter and the parameters that it is opened with, two filters, or a
 * filter and an export. The message shows both sides.
 */
public final class FilterMismatchException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message names the filter, the value and the remedy
   */
  public FilterMismatchException(String message) {
    super(message);
  }
}
