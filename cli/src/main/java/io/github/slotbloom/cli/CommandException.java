package io.github.slotbloom.cli;

import org.jspecify.annotations.Nullable;

/**
 * Reports that the command line itself could not do its part, such as reading a file. The user sees
 * only the message.
 */
public class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  public CommandException(String message, @Nullable Throwable cause) {
    this(ExitCode.FAILURE, message, cause);
  }

  public CommandException(int exitCode, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  public int exitCode() {
    return exitCode;
  }
}
