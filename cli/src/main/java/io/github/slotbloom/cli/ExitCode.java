package io.github.slotbloom.cli;

import io.github.slotbloom.cli.terminal.Connectivity;
import io.github.slotbloom.cli.terminal.OutputException;
import io.github.slotbloom.error.AddFailedException;
import io.github.slotbloom.error.FilterFullException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.ReplacementException;

/**
 * What the caller's shell is told. A process that a signal ends is given 128 and the signal's
 * number by the virtual machine: 129 after SIGHUP, 130 after Ctrl-C, 143 after SIGTERM.
 */
public final class ExitCode {

  public static final int DONE = 0;
  public static final int FAILURE = 1;
  static final int USAGE = 2;

  /** A question was answered with no. */
  public static final int NO = 3;

  /** The filter holds as many keys as it was made for. */
  public static final int FULL = 4;

  /** The database could not be reached, or did not answer in time. */
  public static final int UNREACHABLE = 5;

  /** Verifying a filter found damage. */
  public static final int DAMAGED = 6;

  /** Done, on a filter that errs far more often than it should: new lines may be missing. */
  public static final int INACCURATE = 7;

  /** What a shell reports of a program that SIGPIPE ended. */
  static final int READER_LEFT = 141;

  private ExitCode() {}

  public static int of(Throwable failure) {
    if (failure instanceof OutputException output && output.readerLeft()) {
      return READER_LEFT;
    }
    if (failure instanceof CommandException command) {
      return command.exitCode();
    }
    if (failure instanceof InvalidParameterException) {
      return USAGE;
    }
    if (failure instanceof FilterFullException) {
      return FULL;
    }
    // The database of a source, as that of the filter, may answer later.
    boolean notInTime =
        failure instanceof FilterUnavailableException
            || failure instanceof AddFailedException
            || (failure instanceof ReplacementException && Connectivity.isLost(failure));
    return notInTime && !Connectivity.isRefused(failure) ? UNREACHABLE : FAILURE;
  }
}
