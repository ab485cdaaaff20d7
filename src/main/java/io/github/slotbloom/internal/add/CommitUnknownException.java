package io.github.slotbloom.internal.add;

/** Thrown if COMMIT may have been sent, and got no answer. */
final class CommitUnknownException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient DecidedBatch attempt;
  private final Throwable reason;

  /**
   * Creates the exception.
   *
   * @param attempt the attempt that was written; it has entries
   * @param reason the failure that was thrown instead of an answer
   */
  CommitUnknownException(DecidedBatch attempt, Throwable reason) {
    super(reason);
    this.attempt = attempt;
    this.reason = reason;
  }

  DecidedBatch attempt() {
    return attempt;
  }

  Throwable reason() {
    return reason;
  }
}
