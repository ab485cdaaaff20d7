package io.github.slotbloom.error;

import org.jspecify.annotations.Nullable;

/**
 * The stored data of a filter contradict each other, because they were changed by something other
 * than this library; or the data to import are no export, are damaged, or have the format of a
 * later version. Nothing was changed.
 */
public final class CorruptFilterException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception; thrown where the contradiction is found.
   *
   * @param message names the filter, the value and the remedy
   */
  public CorruptFilterException(String message) {
    this(message, null);
  }

  /**
   * Creates the exception.
   *
   * @param message names what is wrong and the remedy
   * @param cause what was found wrong with a value of it, if anything
   */
  public CorruptFilterException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
