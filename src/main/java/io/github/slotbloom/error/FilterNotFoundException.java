package io.github.slotbloom.error;

/** No filter of that name is in the database. */
public final class FilterNotFoundException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception; thrown while opening.
   *
   * @param message names the filter, the value and the remedy
   */
  public FilterNotFoundException(String message) {
    super(message);
  }
}
