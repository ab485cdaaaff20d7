package io.github.slotbloom.cli.embedded;

import org.jspecify.annotations.Nullable;

/** The embedded server could not be unpacked, started or reached; the message names the remedy. */
public final class EmbeddedDatabaseException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  EmbeddedDatabaseException(String message) {
    super(message);
  }

  EmbeddedDatabaseException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
