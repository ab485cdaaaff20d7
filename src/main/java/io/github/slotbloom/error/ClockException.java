package io.github.slotbloom.error;

/**
 * The database clock and that of this machine differ by so much that one of them must be wrong.
 * Nothing was written, since keys might expire too early.
 */
public final class ClockException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception; thrown where keys of a window would expire.
   *
   * @param message names the filter, both times and the remedy
   */
  public ClockException(String message) {
    super(message);
  }
}
