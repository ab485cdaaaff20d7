package io.github.slotbloom.error;

/** The memory of this process cannot hold the filter's bits. */
public final class MirrorTooLargeException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  public MirrorTooLargeException(String message) {
    super(message);
  }
}
