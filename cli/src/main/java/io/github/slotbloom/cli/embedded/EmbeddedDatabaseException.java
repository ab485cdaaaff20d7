package io.github.slotbloom.cli.embedded;

import org.jspecify.annotations.Nullable;

/**
 * Reports that the embedded server could not be unpacked, started or reached. The message names the
 * remedy.
 */
public final class EmbeddedDatabaseException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  EmbeddedDatabaseException(String message) {
    super(message);
  }

  EmbeddedDatabaseException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
