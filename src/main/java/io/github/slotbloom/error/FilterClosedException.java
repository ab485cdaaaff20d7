package io.github.slotbloom.error;

/** The filter was closed by this process. */
public final class FilterClosedException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  public FilterClosedException(String message) {
    super(message);
  }
}
