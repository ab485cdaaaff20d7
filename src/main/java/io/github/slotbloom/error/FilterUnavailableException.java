package io.github.slotbloom.error;

import org.jspecify.annotations.Nullable;

/** The database could not be reached, or did not answer in time; a question has no answer. */
public final class FilterUnavailableException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  public FilterUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
