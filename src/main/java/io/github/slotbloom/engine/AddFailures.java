package io.github.slotbloom.engine;

import io.github.slotbloom.error.AddFailedException;
import io.github.slotbloom.error.AddFailedException.Outcome;
import io.github.slotbloom.store.DatabaseFailure;
import org.jspecify.annotations.Nullable;

/** Words for adds that failed. */
final class AddFailures {

  static final String LOCK_HELD =
      "another transaction held the filter's lock all the time; look for a long transaction that"
          + " added to it";

  private AddFailures() {}

  static AddFailedException of(
      String filter, Deadline deadline, Outcome outcome, @Nullable Throwable cause) {
    String why = cause == null ? "it was not written in time" : trouble(cause);
    return failed(filter, deadline.timeout(), outcome, why, cause);
  }

  /** What the writer struggles with. */
  static String trouble(Throwable failure) {
    if (failure instanceof DatabaseFailure f && f.lockWaitTimeout()) {
      return LOCK_HELD + " (" + f.getMessage() + ")";
    }
    return failure.getMessage() == null ? failure.toString() : failure.getMessage();
  }

  /**
   * @param trouble what the writer struggled with, if anything
   */
  static AddFailedException timedOut(
      String filter, Deadline deadline, boolean neverWritten, @Nullable String trouble) {
    String why;
    if (trouble != null) {
      why = trouble;
    } else if (neverWritten) {
      why = "its turn in the write queue did not come in time";
    } else {
      why = "the database did not answer in time";
    }
    return failed(
        filter,
        deadline.timeout(),
        neverWritten ? Outcome.NOT_RECORDED : Outcome.UNKNOWN,
        why,
        null);
  }

  static AddFailedException queueFull(String filter, int queued, int capacity) {
    return new AddFailedException(
        filter,
        Outcome.NOT_RECORDED,
        0,
        "Could not add to filter "
            + filter
            + ": the write queue is full, with "
            + queued
            + " of "
            + capacity
            + " keys. None of these keys is recorded. Wait for earlier adds, or open the filter with"
            + " a larger queueCapacity.",
        null);
  }

  private static AddFailedException failed(
      String filter, String timeout, Outcome outcome, String why, @Nullable Throwable cause) {
    String fate =
        outcome == Outcome.NOT_RECORDED
            ? "None of these keys is recorded."
            : "These keys may be recorded, but nobody was told that they are new.";
    return new AddFailedException(
        filter,
        outcome,
        0,
        "Could not add to filter "
            + filter
            + " within "
            + timeout
            + ": "
            + why
            + ". "
            + fate
            + " Adding them again is safe.",
        cause);
  }
}
