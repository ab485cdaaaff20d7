package io.github.slotbloom.error;

/** A filter of that name is in the database already. */
public final class FilterExistsException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception; thrown by a reservation.
   *
   * @param message names the filter, the value and the remedy
   */
  public FilterExistsException(String message) {
    super(message);
  }
}
