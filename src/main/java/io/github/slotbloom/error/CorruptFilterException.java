package io.github.slotbloom.error;

/**
 * What the database holds contradicts itself: somebody or something other than this library changed
 * it.
 */
public final class CorruptFilterException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /**
   * Made where the contradiction is found.
   *
   * @param message names the filter, the value and the remedy
   */
  public CorruptFilterException(String message) {
    super(message);
  }
}
