package io.github.slotbloom.cli;

import io.github.slotbloom.error.InvalidParameterException;

/** What the caller's shell is told. */
final class ExitCode {

  static final int DONE = 0;
  static final int FAILURE = 1;
  static final int USAGE = 2;

  /** What a shell reports of a program that SIGPIPE ended. */
  static final int READER_LEFT = 141;

  private ExitCode() {}

  static int of(Throwable failure) {
    if (failure instanceof OutputException output && output.readerLeft()) {
      return READER_LEFT;
    }
    return failure instanceof UsageException || failure instanceof InvalidParameterException
        ? USAGE
        : FAILURE;
  }
}
