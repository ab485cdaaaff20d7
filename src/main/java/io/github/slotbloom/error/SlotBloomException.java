package io.github.slotbloom.error;

import org.jspecify.annotations.Nullable;

/** The root of every exception that this library throws. All are unchecked. */
public class SlotBloomException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public SlotBloomException(String message) {
    super(message);
  }

  public SlotBloomException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
