package io.github.slotbloom.cli;

import org.jspecify.annotations.Nullable;

/**
 * The command line itself could not do its part, as reading a file; the message is all that the
 * user sees.
 */
final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  CommandException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
