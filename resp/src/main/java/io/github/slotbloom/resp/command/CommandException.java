package io.github.slotbloom.resp.command;

import java.util.Locale;

/** A command is refused, in words that the client is to read. It is never logged. */
final class CommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param answer the whole error, mostly with a code in capitals before it
   */
  CommandException(String answer) {
    super(answer, null, false, false);
  }

  static CommandException wrongNumberOfArguments(String command) {
    return new CommandException(
        "ERR wrong number of arguments for '" + command.toLowerCase(Locale.ROOT) + "' command");
  }
}
