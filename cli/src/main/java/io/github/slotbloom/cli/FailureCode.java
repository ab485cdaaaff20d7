package io.github.slotbloom.cli;

import io.github.slotbloom.cli.terminal.Connectivity;
import io.github.slotbloom.cli.terminal.OutputException;
import io.github.slotbloom.error.FilterFullException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.RemovedKeysFullException;
import io.github.slotbloom.error.ReplacementException;
import io.github.slotbloom.error.WriteFailedException;

/** Chooses the exit code that names the cause of a failure. */
public final class FailureCode {

  private FailureCode() {}

  public static int of(Throwable failure) {
    if (failure instanceof OutputException output && output.readerLeft()) {
      return ExitCode.READER_LEFT;
    }
    if (failure instanceof CommandException command) {
      return command.exitCode();
    }
    if (failure instanceof InvalidParameterException) {
      return ExitCode.USAGE;
    }
    if (failure instanceof FilterFullException || failure instanceof RemovedKeysFullException) {
      return ExitCode.FULL;
    }
    // The database of a source may answer later, just as the filter's database may.
    boolean notInTime =
        failure instanceof FilterUnavailableException
            || failure instanceof WriteFailedException
            || (failure instanceof ReplacementException && Connectivity.mayPass(failure));
    return notInTime && !Connectivity.isRefused(failure) ? ExitCode.UNREACHABLE : ExitCode.FAILURE;
  }
}
