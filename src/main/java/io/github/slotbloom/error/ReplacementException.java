package io.github.slotbloom.error;

/**
 * Thrown when a filter could not be replaced by a larger one: another process is working on the
 * replacement, it was aborted meanwhile, or its source did not return every key. The filter works
 * as before.
 */
public final class ReplacementException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception; thrown when the replacement cannot continue.
   *
   * @param message names the filter, the value and the remedy
   */
  public ReplacementException(String message) {
    super(message);
  }
}
