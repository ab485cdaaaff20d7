package io.github.slotbloom.cli;

import java.io.IOException;

/** Standard output cannot be written. */
final class OutputException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean readerLeft;

  OutputException(IOException cause) {
    super("Cannot write to standard output: " + cause.getMessage() + ".", cause);
    readerLeft = "Broken pipe".equals(cause.getMessage());
  }

  /**
   * @param consequence sentences to add
   */
  OutputException(OutputException failure, String consequence) {
    super(failure.getMessage() + " " + consequence, failure);
    readerLeft = failure.readerLeft;
  }

  /** Whether the other end of a pipe was closed, as head does when it has enough. */
  boolean readerLeft() {
    return readerLeft;
  }
}
