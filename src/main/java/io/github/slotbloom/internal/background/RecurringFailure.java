package io.github.slotbloom.internal.background;

import io.github.slotbloom.internal.store.session.DatabaseFailure;
import org.jspecify.annotations.Nullable;

/** Distinguishes a new failure from one that persists, so that each is logged once. Thread-safe. */
public final class RecurringFailure {

  private @Nullable String last;
  private boolean passing;

  /**
   * Returns true if the previous failure was another one, or if there was none since {@link #over}.
   */
  public synchronized boolean isNews(Throwable failure) {
    String now = failure instanceof DatabaseFailure f ? f.code() : failure.toString();
    boolean news = !now.equals(last);
    last = now;
    passing = failure instanceof DatabaseFailure f && f.replayable();
    return news;
  }

  /**
   * Takes in that the database answered, although nothing was done that shows that all goes well.
   */
  public synchronized void databaseAnswered() {
    if (passing) {
      last = null;
    }
  }

  /** Takes in that the work succeeded. */
  public synchronized void over() {
    last = null;
  }
}
