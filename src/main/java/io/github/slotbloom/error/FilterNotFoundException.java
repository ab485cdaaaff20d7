package io.github.slotbloom.error;

/**
 * No filter of that name is in the database. If the filter was open or being worked on, the message
 * says whether it is gone or was renamed, and to what.
 */
public final class FilterNotFoundException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message names the filter, the value and the remedy
   */
  public FilterNotFoundException(String message) {
    super(message);
  }

  /**
   * Creates the exception of an open filter.
   *
   * @param message names the filter, the value and the remedy
   * @param cause what showed that the filter is not there
   */
  public FilterNotFoundException(String message, Throwable cause) {
    super(message, cause);
  }
}
