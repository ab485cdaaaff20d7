package io.github.slotbloom.internal.failure;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.FilterClosedException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.internal.background.NotStartedException;
import io.github.slotbloom.internal.mirror.FilterNotReady;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Turns the exceptions of the store and the threads into the exceptions of the public API, which
 * say which filter failed, why, and what to do about it. Immutable.
 */
public final class Failures {

  private final FilterName filter;

  public Failures(FilterName filter) {
    this.filter = filter;
  }

  /**
   * Returns true if another attempt may help. This also holds for a connection that was lost during
   * COMMIT. So it is only for work that is safe to do twice, or that is known to have committed
   * nothing.
   */
  public static boolean passing(Throwable failure) {
    return (failure instanceof NotStartedException e && !e.closed())
        || (failure instanceof DatabaseFailure f && f.replayable());
  }

  /**
   * Returns true if the database may do the work the next time, even if COMMIT failed for any
   * reason. Only for work that is safe to do twice.
   */
  public static boolean repeatable(Throwable failure) {
    return failure instanceof DatabaseFailure f && (f.replayable() || f.outcomeUnknown());
  }

  /**
   * Returns true if the failure came without waiting for anything: neither for an answer, as far as
   * can be known, nor for a lock, nor for what a group has to apply.
   */
  public static boolean cameAtOnce(Throwable failure) {
    return failure instanceof DatabaseFailure f
        && !f.timedOut()
        && !f.gaveUpWaiting()
        && !f.waitedForGroup();
  }

  /**
   * Returns true if {@link #translate} alone describes the failure, even for a caller who must
   * learn what happened to the keys. A filter that is closed, gone, denied, or without its tables
   * takes no keys.
   */
  public static boolean takesNoKeys(Throwable failure) {
    return (failure instanceof NotStartedException e && e.closed())
        || failure instanceof FilterNotReady
        || (failure instanceof DatabaseFailure f && (f.denied() || f.tableMissing()));
  }

  /** Returns the message of a failure as part of a sentence. */
  public static String reason(Throwable failure) {
    String why = Objects.requireNonNullElse(failure.getMessage(), failure.toString());
    return why.endsWith(".") ? why.substring(0, why.length() - 1) : why;
  }

  /** Returns the exception for a caller who uses a filter that this process closed. */
  public static FilterClosedException closed(FilterName filter) {
    return new FilterClosedException(
        "Filter " + filter + " was closed by this process. Open it again.");
  }

  /** Returns the exception of the public API for a failure that is not tried again. */
  public RuntimeException translate(Throwable failure) {
    if (failure instanceof FilterNotReady n) {
      return new FilterNotFoundException(reason(n) + ".", n, n.isExpired());
    }
    if (failure instanceof DatabaseFailure f && (f.denied() || f.tableMissing())) {
      return new SchemaException(
          "Filter "
              + filter
              + " could not be used: "
              + reason(f)
              + (f.denied()
                  ? ". Grant the account the privilege that it needs."
                  : ". Check that its tables exist."),
          f);
    }
    if (failure instanceof DatabaseFailure f) {
      return unavailable(reason(f), f.remedy(), f);
    }
    if (failure instanceof NotStartedException e) {
      // The threads end when everything is closed.
      return e.closed() ? closed(filter) : unavailable(reason(e), e);
    }
    if (failure instanceof OutOfMemoryError) {
      // A pool that makes connections also throws this if no thread can be started.
      return unavailable(failure.toString(), failure);
    }
    if (failure instanceof Error e) {
      throw e;
    }
    return failure instanceof RuntimeException e ? e : new IllegalStateException(failure);
  }

  /**
   * Returns the exception for a filter that could not be used for now.
   *
   * @param why part of a sentence
   */
  public FilterUnavailableException unavailable(String why, Throwable cause) {
    if (cause instanceof DatabaseFailure f && f.answered()) {
      return unavailable(why, f.remedy(), f);
    }
    // If no thread could be started, the database is not the cause.
    String remedy =
        cause instanceof NotStartedException
            ? "Then try again."
            : "Check that the database is up, and that the pool has a connection that is not held"
                + " by an open transaction of this thread. Then try again.";
    return unavailable(why, remedy, cause);
  }

  private FilterUnavailableException unavailable(String why, String remedy, Throwable cause) {
    return new FilterUnavailableException(
        "Filter " + filter + " could not be used: " + why + ". " + remedy, cause);
  }

  /** Interrupts the thread again, and returns the exception that reports it. */
  public FilterUnavailableException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new FilterUnavailableException("Using filter " + filter + " was interrupted.", e);
  }

  /**
   * Returns the exception for work that does not concern one open filter.
   *
   * @param whatIsMissing reads what the schema lacks, as sentences with a remedy; asked only if the
   *     schema lacks something
   */
  public static RuntimeException ofDatabase(
      DatabaseFailure failure, Supplier<String> whatIsMissing) {
    if (failure.tableMissing() || failure.columnMissing()) {
      try {
        return new SchemaException(whatIsMissing.get(), failure);
      } catch (DatabaseFailure unreachable) {
        return databaseUnavailable(unreachable);
      }
    }
    if (failure.denied()) {
      return new SchemaException(
          "The account lacks a privilege: " + reason(failure) + ". Grant it, and try again.",
          failure);
    }
    return databaseUnavailable(failure);
  }

  /** Returns the exception for a database that could not be reached, or refused a request. */
  public static FilterUnavailableException databaseUnavailable(DatabaseFailure failure) {
    return new FilterUnavailableException(
        "The database could not be used: " + reason(failure) + ". " + failure.remedy(), failure);
  }
}
