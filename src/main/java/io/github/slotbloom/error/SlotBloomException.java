package io.github.slotbloom.error;

import org.jspecify.annotations.Nullable;

/** The root of every exception that this library throws. All are unchecked. */
public class SlotBloomException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates an exception without a cause.
   *
   * @param message names the filter, the value and the remedy
   */
  public SlotBloomException(String message) {
    super(message);
  }

  /**
   * Creates an exception with a cause, if there is one.
   *
   * @param message names the filter, the value and the remedy
   * @param cause what the database, its driver or Flyway threw, if anything
   */
  public SlotBloomException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
