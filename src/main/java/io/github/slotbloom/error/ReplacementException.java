package io.github.slotbloom.error;

/**
 * A filter is not replaced by a larger one, or not yet: another process works on it, it was given
 * up meanwhile, or its source did not bring every key. The filter works on as before.
 */
public final class ReplacementException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /**
   * Made when the replacement cannot go on.
   *
   * @param message names the filter, the value and the remedy
   */
  public ReplacementException(String message) {
    super(message);
  }
}
