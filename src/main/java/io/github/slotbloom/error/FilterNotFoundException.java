package io.github.slotbloom.error;

/**
 * No filter of that name is in the database. If the filter was open or being worked on, the message
 * says whether it is gone or was renamed, and to what.
 */
public final class FilterNotFoundException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /** True if the filter still exists but has expired. */
  private final boolean expired;

  /**
   * Creates the exception.
   *
   * @param message names the filter, the value and the remedy
   */
  public FilterNotFoundException(String message) {
    super(message);
    expired = false;
  }

  /**
   * Creates the exception of an open filter.
   *
   * @param message names the filter, the value and the remedy
   * @param cause what showed that the filter is not there
   * @param expired true if it expired
   */
  public FilterNotFoundException(String message, Throwable cause, boolean expired) {
    super(message, cause);
    this.expired = expired;
  }

  /**
   * {@return true if the filter expired} As long as its tables are not dropped, a later time brings
   * it back: {@code FilterAdmin.expireAt}.
   */
  public boolean isExpired() {
    return expired;
  }
}
