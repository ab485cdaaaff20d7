package io.github.slotbloom.internal.add;

/** Thrown if COMMIT may have been sent, and got no answer. */
final class CommitUnknownException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The attempt that may have been committed. It has entries. */
  final transient DecidedBatch attempt;

  CommitUnknownException(DecidedBatch attempt, Throwable reason) {
    super(reason);
    this.attempt = attempt;
  }
}
