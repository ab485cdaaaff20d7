package io.github.slotbloom.cli;

import org.jspecify.annotations.Nullable;

/** The arguments do not make sense together; the message says what would. */
public final class UsageException extends CommandException {
  private static final long serialVersionUID = 1L;

  public UsageException(String message) {
    this(message, null);
  }

  public UsageException(String message, @Nullable Throwable cause) {
    super(ExitCode.USAGE, message, cause);
  }
}
