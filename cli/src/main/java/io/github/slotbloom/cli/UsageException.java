package io.github.slotbloom.cli;

import org.jspecify.annotations.Nullable;

/** Reports arguments that do not make sense together. The message says which ones would. */
public final class UsageException extends CommandException {
  private static final long serialVersionUID = 1L;

  public UsageException(String message) {
    this(message, null);
  }

  public UsageException(String message, @Nullable Throwable cause) {
    super(ExitCode.USAGE, message, cause);
  }
}
