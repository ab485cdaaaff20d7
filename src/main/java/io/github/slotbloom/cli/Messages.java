package io.github.slotbloom.cli;

import io.github.slotbloom.cli.embedded.EmbeddedDatabaseException;
import io.github.slotbloom.error.SlotBloomException;
import java.io.IOException;
import java.io.PrintStream;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** What is said to the user on standard error, where results never go. */
final class Messages {

  private static final PrintStream ERR = System.err;

  private Messages() {}

  static void notice(String text) {
    ERR.println("slotbloom: " + text);
  }

  /** Puts text on the terminal without ending the line. */
  static void draw(String text) {
    ERR.print(text);
    ERR.flush();
  }

  static void failure(Exception failure, boolean verbose) {
    String message = oneLine(failure.getMessage());
    // What is not made for users to read is told with its type, so that it can be reported.
    notice(isOurs(failure) ? message : "Unexpected " + oneLine(failure.toString()));
    if (verbose) {
      failure.printStackTrace(ERR);
    }
  }

  static String oneLine(@Nullable String message) {
    return message == null ? "(no message)" : message.strip().replaceAll("\\s*\\R\\s*", " ");
  }

  /** Why there is no connection: below what the pool and the driver say about each other. */
  static String connectionFailure(Throwable failure) {
    Throwable reason = failure;
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException || cause instanceof IOException) {
        reason = cause;
      }
    }
    return oneLine(reason.getMessage());
  }

  private static boolean isOurs(Exception failure) {
    return failure instanceof SlotBloomException
        || failure instanceof EmbeddedDatabaseException
        || failure instanceof CommandException
        || failure instanceof UsageException
        || failure instanceof OutputException;
  }
}
