package io.github.slotbloom.cli.terminal;

import io.github.slotbloom.cli.CommandException;
import io.github.slotbloom.cli.embedded.EmbeddedDatabaseException;
import io.github.slotbloom.error.ReplacementException;
import io.github.slotbloom.error.SlotBloomException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.error.WriteFailedException.Outcome;
import java.io.PrintStream;

/** Writes messages for the user to standard error, where results never go. Thread-safe. */
public final class Messages {

  static final String ERASE_LINE = "\r\u001b[K";
  private static final String RED = "\u001b[1;31m";
  private static final String PLAIN = "\u001b[0m";

  private final PrintStream stream;
  private final Terminal terminal;

  /** True if the terminal shows text that a line must not be appended to. */
  private volatile boolean drawn;

  public Messages(PrintStream stream, Terminal terminal) {
    this.stream = stream;
    this.terminal = terminal;
  }

  public void notice(String text) {
    eraseDrawn();
    stream.println("slotbloom: " + text);
  }

  /** Prints a line for programs that read it in addition to the results. */
  public void line(String text) {
    stream.println(text);
  }

  /** Prints why the command failed. */
  public void error(String text) {
    eraseDrawn();
    String name = "slotbloom:";
    stream.println(
        (terminal.colorsOnError() ? RED + name + PLAIN : name) + " " + Wording.printable(text));
  }

  private void eraseDrawn() {
    if (drawn) {
      drawn = false;
      stream.print(ERASE_LINE);
    }
  }

  /** Prints text on the terminal without ending the line. */
  public void draw(String text) {
    drawn = true;
    stream.print(text);
    stream.flush();
  }

  public void failure(Throwable failure, boolean verbose) {
    if (failure instanceof SlotBloomException known
        && !(failure instanceof ReplacementException)
        && Connectivity.isLost(known)) {
      error(
          "The database does not answer ("
              + Connectivity.describe(known)
              + "). "
              + fate(known)
              + "Try again later.");
    } else if (failure instanceof OutOfMemoryError) {
      error(
          "Out of memory ("
              + Wording.oneLine(failure.getMessage())
              + "); allow more, for example with JDK_JAVA_OPTIONS=-Xmx4g.");
    } else if (isOurs(failure)) {
      error(Wording.oneLine(failure.getMessage()));
    } else {
      // An unexpected failure is shown with its type, so that the user can report it.
      error("Unexpected " + Wording.oneLine(failure.toString()));
    }
    if (verbose) {
      failure.printStackTrace(stream);
    }
  }

  private static String fate(SlotBloomException failure) {
    if (!(failure instanceof WriteFailedException add)) {
      return "";
    }
    return add.outcome() == Outcome.NOT_RECORDED
        ? "None of the keys was recorded. "
        : "The keys may have been recorded; if so, the next run counts them as seen. ";
  }

  private static boolean isOurs(Throwable failure) {
    return failure instanceof SlotBloomException
        || failure instanceof EmbeddedDatabaseException
        || failure instanceof CommandException
        || failure instanceof OutputException;
  }
}
