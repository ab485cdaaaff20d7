package io.github.slotbloom.error;

/** A filter of that name is in the database already. */
public final class FilterExistsException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  public FilterExistsException(String message) {
    super(message);
  }
}
