package io.github.slotbloom.error;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when the data to import are not an export, are damaged, or have the format of a later
 * version. Nothing was imported.
 */
public final class InvalidExportException extends SlotBloomException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message names what is wrong and the remedy
   * @param cause what was found wrong with a value of it, if anything
   */
  public InvalidExportException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
