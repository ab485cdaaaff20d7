package io.github.slotbloom.error;

/**
 * Thrown when the stored data of a filter contradict each other, because they were changed by
 * something other than this library.
 */
public final class CorruptFilterException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception; thrown where the contradiction is found.
   *
   * @param message names the filter, the value and the remedy
   */
  public CorruptFilterException(String message) {
    super(message);
  }
}
