package io.github.slotbloom.error;

import org.jspecify.annotations.Nullable;

/** The tables are missing, or could not be made. */
public final class SchemaException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception; thrown when the tables are looked for, or being made.
   *
   * @param message names the filter, the value and the remedy
   * @param cause what the database, its driver or Flyway threw, if anything
   */
  public SchemaException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
