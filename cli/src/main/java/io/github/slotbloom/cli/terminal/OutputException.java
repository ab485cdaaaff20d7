package io.github.slotbloom.cli.terminal;

import java.io.IOException;

/** Reports that standard output cannot be written. */
public final class OutputException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean readerLeft;

  public OutputException(IOException cause) {
    super("Cannot write to standard output: " + cause.getMessage() + ".", cause);
    readerLeft = "Broken pipe".equals(cause.getMessage());
  }

  /**
   * @param consequence sentences to add to the message
   */
  public OutputException(OutputException failure, String consequence) {
    super(failure.getMessage() + " " + consequence, failure);
    readerLeft = failure.readerLeft;
  }

  /** Returns true if the reader closed the pipe, as head does when it has enough. */
  public boolean readerLeft() {
    return readerLeft;
  }
}
