package io.github.slotbloom.internal.background;

import java.util.concurrent.RejectedExecutionException;

/**
 * Thrown if work could not be handed over to another thread. The work was not begun, and never will
 * be.
 */
public final class NotStartedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NotStartedException(Throwable cause) {
    super(
        "no thread could be started ("
            + cause
            + "): raise the thread limit of this process or its container, or start fewer threads",
        cause);
  }

  /** Returns true if the threads were shut down, so that no work will ever be begun again. */
  public boolean closed() {
    return getCause() instanceof RejectedExecutionException;
  }
}
