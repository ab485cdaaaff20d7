package io.github.slotbloom.error;

/** The memory of this process cannot hold the filter's bits. */
public final class MirrorTooLargeException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception; thrown while loading.
   *
   * @param message names the filter, the value and the remedy
   */
  public MirrorTooLargeException(String message) {
    super(message);
  }
}
