package io.github.slotbloom.error;

/** A name, a number or a setting is outside its range; nothing was done. */
public final class InvalidParameterException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception; thrown before anything is changed.
   *
   * @param message names the filter, the value and the remedy
   */
  public InvalidParameterException(String message) {
    super(message);
  }
}
