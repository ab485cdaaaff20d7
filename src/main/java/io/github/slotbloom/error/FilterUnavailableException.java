package io.github.slotbloom.error;

import org.jspecify.annotations.Nullable;

/** The database could not be reached, or did not answer in time; a lookup has no answer. */
public final class FilterUnavailableException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception; thrown when the time is up, or trying again makes no sense.
   *
   * @param message names the filter, the value and the remedy
   * @param cause what the database, its driver or Flyway threw, if anything
   */
  public FilterUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
