package io.github.slotbloom.internal.engine;

import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.internal.add.WriteQueue;
import io.github.slotbloom.internal.background.Backoff;
import io.github.slotbloom.internal.background.NotStartedException;
import io.github.slotbloom.internal.mirror.FilterNotReady;
import io.github.slotbloom.internal.store.DatabaseFailure;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.ObjIntConsumer;
import java.util.function.Supplier;

/** Waits for reads, and repeats them while that may help and time is left. */
public final class Waiting {

  /** Something that is begun here and goes on in another thread. */
  @FunctionalInterface
  public interface Attempt<T> {

    /**
     * Begins it.
     *
     * @throws TimeoutException if it could not begin in time
     */
    CompletableFuture<T> begin() throws InterruptedException, TimeoutException;
  }

  private final String filter;

  public Waiting(String filter) {
    this.filter = filter;
  }

  /**
   * Waits for the outcome of an attempt, and makes further ones until the deadline.
   *
   * @throws FilterUnavailableException if none succeeded in time
   */
  public <T> T forOutcome(Attempt<T> attempt, Deadline deadline) {
    return repeat(attempt, deadline, () -> deadline, (failure, number) -> {});
  }

  /**
   * As {@link #forOutcome}, for attempts that may take long.
   *
   * @param longest when even an attempt that goes on is given up
   * @param patience how long further attempts are made after the first failure
   * @param failed hears of each failure after which there is another attempt, and its number
   */
  public <T> T forLongOutcome(
      Attempt<T> attempt, Deadline longest, Deadline patience, ObjIntConsumer<Throwable> failed) {
    return repeat(attempt, longest, patience::renewed, failed);
  }

  private <T> T repeat(
      Attempt<T> attempt,
      Deadline longest,
      Supplier<Deadline> fromFirstFailure,
      ObjIntConsumer<Throwable> failed) {
    Backoff backoff = new Backoff();
    Deadline patience = null;
    String before = "";
    for (int number = 1; ; number++) {
      try {
        return attempt.begin().get(longest.remainingNanos(), TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        String since = e.getMessage() == null ? "" : ", since " + e.getMessage();
        throw unavailable("no answer within " + longest.timeout() + since + before, e);
      } catch (InterruptedException e) {
        throw interrupted(e);
      } catch (ExecutionException e) {
        Throwable cause = Objects.requireNonNullElse(e.getCause(), e);
        if (!passing(cause)) {
          throw translate(cause);
        }
        patience = patience == null ? fromFirstFailure.get() : patience;
        if (patience.passed()) {
          String why = "after trying for " + patience.timeout() + ": " + reason(cause);
          throw cause instanceof NotStartedException
              ? notStarted(why, cause)
              : unavailable(why, cause);
        }
        before = "; before that: " + reason(cause);
        failed.accept(cause, number);
      }
      try {
        backoff.await(patience);
      } catch (InterruptedException e) {
        throw interrupted(e);
      }
    }
  }

  /** Waits for something that time alone brings about. */
  public void until(BooleanSupplier condition, long lookAgainNanos) {
    while (!condition.getAsBoolean()) {
      LockSupport.parkNanos(this, lookAgainNanos);
      if (Thread.interrupted()) {
        throw interrupted(new InterruptedException());
      }
    }
  }

  /** Whether trying again may help. */
  public static boolean passing(Throwable failure) {
    return (failure instanceof NotStartedException e && !e.closed())
        || (failure instanceof DatabaseFailure f && f.replayable())
        || (failure instanceof FilterNotReady n && !n.isGone());
  }

  /** The exception of the public API that says what this one says. */
  public RuntimeException translate(Throwable failure) {
    if (failure instanceof FilterNotReady n && n.isGone()) {
      return new FilterNotFoundException(reason(n) + ".");
    }
    if (failure instanceof DatabaseFailure f && (f.denied() || f.tableMissing())) {
      return new SchemaException(
          "Filter "
              + filter
              + " could not be worked on: "
              + reason(f)
              + (f.denied()
                  ? ". Grant the account the right that it needs."
                  : ". Check that its tables are there."),
          f);
    }
    if (failure instanceof DatabaseFailure f) {
      return unavailable(reason(f), f.remedy(), f);
    }
    if (failure instanceof FilterNotReady) {
      return unavailable(reason(failure), failure);
    }
    if (failure instanceof NotStartedException e) {
      // The threads end when everything is closed.
      return e.closed() ? WriteQueue.closed(filter) : notStarted(reason(e), e);
    }
    if (failure instanceof OutOfMemoryError) {
      // Where no thread can be started, a pool that makes connections throws this, too.
      return unavailable(failure.toString(), failure);
    }
    if (failure instanceof Error e) {
      throw e;
    }
    return failure instanceof RuntimeException e ? e : new IllegalStateException(failure);
  }

  /** What a failure says, as part of a sentence. */
  public static String reason(Throwable failure) {
    String why = Objects.requireNonNullElse(failure.getMessage(), failure.toString());
    return why.endsWith(".") ? why.substring(0, why.length() - 1) : why;
  }

  private FilterUnavailableException unavailable(String why, Throwable cause) {
    return unavailable(why, "Check that the database is up, then try again.", cause);
  }

  private FilterUnavailableException unavailable(String why, String remedy, Throwable cause) {
    return new FilterUnavailableException(
        "Filter " + filter + " could not be used: " + why + ". " + remedy, cause);
  }

  /** The database has no part in it. */
  private FilterUnavailableException notStarted(String why, Throwable cause) {
    return new FilterUnavailableException(
        "Filter " + filter + " could not be used: " + why + ". Then try again.", cause);
  }

  private FilterUnavailableException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new FilterUnavailableException("Using filter " + filter + " was interrupted.", e);
  }
}
