package io.github.slotbloom.error;

import org.jspecify.annotations.Nullable;

/** The tables are missing, or could not be made. */
public final class SchemaException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  public SchemaException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
