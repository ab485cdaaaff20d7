package io.github.slotbloom.internal.context;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.internal.failure.Failures;
import io.github.slotbloom.internal.failure.Retry;
import io.github.slotbloom.internal.time.Deadline;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.ObjIntConsumer;
import java.util.function.Supplier;

/** Waits for work in other threads, and repeats it while that may help and time is left. */
public final class Waiting {

  /** Work that is begun here and continues in another thread. */
  @FunctionalInterface
  public interface Attempt<T> {

    /**
     * Begins the work.
     *
     * @throws TimeoutException if it could not begin in time
     */
    CompletableFuture<T> begin() throws InterruptedException, TimeoutException;
  }

  /** How long one step of an administrative call may take: a fold, a clear, a drop. */
  public static final Duration STEP_TIMEOUT = Duration.ofSeconds(30);

  private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final Failures failures;

  public Waiting(FilterName filter) {
    this.failures = new Failures(filter);
  }

  /**
   * Waits for the outcome of an attempt, and makes further attempts until the deadline.
   *
   * @throws FilterUnavailableException if none succeeded in time
   */
  public <T> T forOutcome(Attempt<T> attempt, Deadline deadline) {
    return repeat(attempt, deadline, () -> deadline, (failure, number) -> {});
  }

  /**
   * Does the same as {@link #forOutcome}, for attempts that may take long.
   *
   * @param longest when even an attempt that still runs is given up
   * @param patience how long further attempts are made after the first failure
   * @param failed receives each failure that is followed by another attempt, and its number
   */
  public <T> T forLongOutcome(
      Attempt<T> attempt, Deadline longest, Deadline patience, ObjIntConsumer<Throwable> failed) {
    return repeat(attempt, longest, patience::renewed, failed);
  }

  /**
   * Repeats attempts in a loop of its own, since the time begins with the first failure, and the
   * attempts run elsewhere.
   */
  private <T> T repeat(
      Attempt<T> attempt,
      Deadline longest,
      Supplier<Deadline> fromFirstFailure,
      ObjIntConsumer<Throwable> failed) {
    Retry retry = Retry.ofCall();
    Deadline patience = null;
    String before = "";
    for (int number = 1; ; number++) {
      try {
        return attempt.begin().get(longest.remainingNanos(), TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        String since = e.getMessage() == null ? "" : ", since " + e.getMessage();
        throw failures.unavailable("no answer within " + longest.timeout() + since + before, e);
      } catch (InterruptedException e) {
        throw failures.interrupted(e);
      } catch (ExecutionException e) {
        Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
        if (!Failures.passing(cause)) {
          throw failures.translate(cause);
        }
        patience = patience == null ? fromFirstFailure.get() : patience;
        if (patience.passed()) {
          String why = "after trying for " + patience.timeout() + ": " + Failures.reason(cause);
          throw failures.unavailable(why, cause);
        }
        before = "; before that: " + Failures.reason(cause);
        failed.accept(cause, number);
      }
      try {
        retry.pause(patience);
      } catch (InterruptedException e) {
        throw failures.interrupted(e);
      }
    }
  }

  /** Waits until a time has passed. */
  public void until(Deadline end) {
    while (!end.passed()) {
      end.time().rest(this, LOOK_AGAIN_NANOS);
      if (Thread.interrupted()) {
        throw failures.interrupted(new InterruptedException());
      }
    }
  }
}
