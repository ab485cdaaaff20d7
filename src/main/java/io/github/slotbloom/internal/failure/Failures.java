package io.github.slotbloom.internal.failure;

import io.github.slotbloom.error.FilterClosedException;
import io.github.slotbloom.error.FilterNotFoundException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.internal.background.NotStartedException;
import io.github.slotbloom.internal.mirror.FilterNotReady;
import io.github.slotbloom.internal.store.DatabaseFailure;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Turns what the store and the threads throw into the exceptions of the public API, which say who
 * failed, why, and what to do about it. Immutable.
 */
public final class Failures {

  private final String filter;

  /**
   * @param filter the name of the filter that could not be used
   */
  public Failures(String filter) {
    this.filter = filter;
  }

  /** Whether trying again may help, where nothing was committed. */
  public static boolean passing(Throwable failure) {
    return (failure instanceof NotStartedException e && !e.closed())
        || (failure instanceof DatabaseFailure f && f.replayable())
        || (failure instanceof FilterNotReady n && !n.isGone());
  }

  /**
   * Whether the database may do the work the next time, where doing it twice does no harm: COMMIT
   * may have been sent.
   */
  public static boolean repeatable(Throwable failure) {
    return failure instanceof DatabaseFailure f && (f.replayable() || f.outcomeUnknown());
  }

  /**
   * Whether {@link #translate} alone says what happened, also to a caller who has to learn what
   * became of the keys: closed, gone, denied, or without its tables, the filter takes none.
   */
  public static boolean takesNoKeys(Throwable failure) {
    return (failure instanceof NotStartedException e && e.closed())
        || (failure instanceof FilterNotReady n && n.isGone())
        || (failure instanceof DatabaseFailure f && (f.denied() || f.tableMissing()));
  }

  /** The message of a failure as part of a sentence. */
  public static String reason(Throwable failure) {
    String why = Objects.requireNonNullElse(failure.getMessage(), failure.toString());
    return why.endsWith(".") ? why.substring(0, why.length() - 1) : why;
  }

  /** The exception for a caller who uses a filter that this process closed. */
  public static FilterClosedException closed(String filter) {
    return new FilterClosedException(
        "Filter " + filter + " was closed by this process. Open it again to use it.");
  }

  /** The exception of the public API for a failure that is not tried again. */
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
      return e.closed() ? closed(filter) : unavailable(reason(e), e);
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

  /**
   * The exception for a filter that could not be used for now.
   *
   * @param why part of a sentence
   */
  public FilterUnavailableException unavailable(String why, Throwable cause) {
    // Where no thread could be started, the database has no part in it.
    String remedy =
        cause instanceof NotStartedException
            ? "Then try again."
            : "Check that the database is up, then try again.";
    return unavailable(why, remedy, cause);
  }

  private FilterUnavailableException unavailable(String why, String remedy, Throwable cause) {
    return new FilterUnavailableException(
        "Filter " + filter + " could not be used: " + why + ". " + remedy, cause);
  }

  /** Interrupts the thread again, and returns the exception that tells of it. */
  public FilterUnavailableException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new FilterUnavailableException("Using filter " + filter + " was interrupted.", e);
  }

  /**
   * The exception for work that is not about one open filter.
   *
   * @param whatIsMissing reads what the schema lacks, as sentences with a remedy; asked only where
   *     it lacks something
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
          "The account lacks a right: " + failure.getMessage() + ". Grant it, and try again.",
          failure);
    }
    return databaseUnavailable(failure);
  }

  /** The exception for a database that could not be reached, or refused what was asked of it. */
  public static FilterUnavailableException databaseUnavailable(DatabaseFailure failure) {
    return new FilterUnavailableException(
        "The database could not be used: " + failure.getMessage() + ". " + failure.remedy(),
        failure);
  }
}
