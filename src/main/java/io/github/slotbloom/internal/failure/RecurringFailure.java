package io.github.slotbloom.internal.failure;

import io.github.slotbloom.internal.background.NotStartedException;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import io.github.slotbloom.internal.time.Moment;
import io.github.slotbloom.internal.time.TimeSource;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Distinguishes a new failure of work that is tried again and again from one that persists, so that
 * each is told once. Thread-safe.
 */
public final class RecurringFailure {

  /**
   * A problem that passes on its own does so in seconds, and operators need minutes for the others.
   */
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final Logger log;
  private final TimeSource time;
  private final String message;
  private final Predicate<Throwable> expected;
  private @Nullable String last;
  private boolean passing;
  private volatile @Nullable Moment pausedSince;

  /**
   * @param log hears of each failure, at a level that is off as a rule
   * @param message what to tell of one that is news, before its reason
   * @param expected which failures concern nobody, besides those of a process that closes
   */
  public RecurringFailure(
      Logger log, TimeSource time, String message, Predicate<Throwable> expected) {
    this.log = log;
    this.time = time;
    this.message = message;
    this.expected = expected;
  }

  /** Logs a failure as a warning, if it is news. */
  public void tell(Throwable thrown) {
    tell(thrown, reason -> {});
  }

  /** Does the same, and tells a listener the reason, as a sentence. */
  public void tell(Throwable thrown, Consumer<String> listener) {
    Throwable failure =
        thrown instanceof CompletionException && thrown.getCause() != null
            ? thrown.getCause()
            : thrown;
    if (isNews(failure)) {
      log.warn("{}: {}", message, Failures.reason(failure));
      listener.accept(Failures.reason(failure) + ".");
    }
  }

  /**
   * Takes in a failure. Returns true if it is not expected, and if the previous one was another
   * one, or if there was none since {@link #over}.
   */
  public synchronized boolean isNews(Throwable failure) {
    log.debug("{}", message, failure);
    pause();
    if (expected.test(failure) || (failure instanceof NotStartedException e && e.closed())) {
      return false;
    }
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
    pausedSince = null;
  }

  /** Takes in that another attempt should come after a while, as after a failure. */
  public void pause() {
    pausedSince = time.now();
  }

  /** Returns true if the last attempt failed, less than half a minute ago. */
  public boolean isPausing() {
    Moment since = pausedSince;
    return since != null && time.nanosSince(since) < PAUSE_NANOS;
  }
}
