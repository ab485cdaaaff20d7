package io.github.slotbloom.internal.background;

import io.github.slotbloom.internal.store.DatabaseFailure;
import org.jspecify.annotations.Nullable;

/**
 * Tells a failure that is news from one that only lasts, so that it is logged once. Thread-safe.
 */
public final class RecurringFailure {

  private @Nullable String last;
  private boolean passing;

  /** Whether the failure before was another one, if there was any since {@link #over}. */
  public synchronized boolean isNews(Throwable failure) {
    String now = failure instanceof DatabaseFailure f ? f.code() : failure.toString();
    boolean news = !now.equals(last);
    last = now;
    passing = failure instanceof DatabaseFailure f && f.replayable();
    return news;
  }

  /** Says that the database answered, though nothing was done that shows that all goes well. */
  public synchronized void databaseAnswered() {
    if (passing) {
      last = null;
    }
  }

  /** Says that it went well. */
  public synchronized void over() {
    last = null;
  }
}
