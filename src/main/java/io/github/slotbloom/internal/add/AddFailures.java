package io.github.slotbloom.internal.add;

import io.github.slotbloom.error.AddFailedException;
import io.github.slotbloom.error.AddFailedException.Outcome;
import io.github.slotbloom.error.SlotBloomException;
import io.github.slotbloom.internal.ask.KnownKeys;
import io.github.slotbloom.internal.background.NotStartedException;
import io.github.slotbloom.internal.engine.Deadline;
import io.github.slotbloom.internal.failure.Failures;
import io.github.slotbloom.internal.mirror.FilterNotReady;
import io.github.slotbloom.internal.store.DatabaseFailure;
import io.github.slotbloom.internal.store.TransactionLost;
import io.github.slotbloom.internal.verify.Trouble;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns what keeps adds from being written into exceptions that also say what became of the keys.
 * Where the keys do not matter, {@link Failures} has the words.
 */
public final class AddFailures {

  private static final String LOOK_FOR =
      "look for one that added to this filter, as BloomFilter.within does, and has not ended";

  /** The server answered, and said so. */
  static final String LOCK_HELD =
      "another transaction held the filter's lock all the time; " + LOOK_FOR;

  /** The server has not answered yet. */
  static final String LOCK_AWAITED =
      "it waited for the filter's lock all the time: either the database does not answer, or another"
          + " transaction holds the lock; "
          + LOOK_FOR;

  private AddFailures() {}

  /**
   * The exception for callers of an add.
   *
   * @param outcome what became of their keys
   * @param cause null if only the time ran out
   */
  static RuntimeException translate(
      String filter, Deadline deadline, Outcome outcome, @Nullable Throwable cause) {
    if (cause instanceof SlotBloomException e) {
      return e;
    }
    return cause != null && Failures.takesNoKeys(cause)
        ? new Failures(filter).translate(cause)
        : of(filter, deadline, outcome, cause);
  }

  /**
   * The exception for an add within a caller's transaction.
   *
   * @param notHere makes the exception for a connection that leads to another schema
   */
  static RuntimeException translateInTransaction(
      String filter, RuntimeException failure, Supplier<? extends RuntimeException> notHere) {
    if (failure instanceof TransactionLost lost) {
      // A server that commits by itself has no savepoints either.
      return lost.getCause() instanceof SlotBloomException refused
          ? refused
          : transactionLost(filter, lost);
    }
    if (failure instanceof KnownKeys.StaleException) {
      return undecided(filter, failure);
    }
    if (failure instanceof DatabaseFailure f && f.tableMissing()) {
      return notHere.get();
    }
    if (failure instanceof DatabaseFailure f && f.tableYoungerThanSnapshot()) {
      return grewMeanwhile(filter, f);
    }
    if (Failures.takesNoKeys(failure)) {
      return new Failures(filter).translate(failure);
    }
    return failure instanceof DatabaseFailure
            || failure instanceof NotStartedException
            || failure instanceof FilterNotReady
        ? inTransaction(filter, failure)
        : failure;
  }

  /** The exception for callers of an add, where {@link #translate} has nothing better. */
  public static AddFailedException of(
      String filter, Deadline deadline, Outcome outcome, @Nullable Throwable cause) {
    String why = cause == null ? "it was not written in time" : trouble(cause);
    String within = deadline.passed() ? within(deadline) : "";
    return failed(filter, within, outcome, why, cause);
  }

  /** What the writer struggles with. */
  static String trouble(Throwable failure) {
    if (failure instanceof DatabaseFailure f && f.lockWaitTimeout()) {
      return LOCK_HELD + " (" + f.getMessage() + ")";
    }
    return Failures.reason(failure);
  }

  /**
   * @param trouble what the writer struggled with, if anything
   */
  public static AddFailedException timedOut(
      String filter, Deadline deadline, boolean neverWritten, @Nullable Trouble trouble) {
    String why;
    if (trouble != null) {
      why = trouble.why();
    } else if (neverWritten) {
      why = "its turn in the write queue did not come in time";
    } else {
      why = "the database did not answer in time";
    }
    return failed(
        filter,
        within(deadline),
        neverWritten ? Outcome.NOT_RECORDED : Outcome.UNKNOWN,
        why,
        trouble == null ? null : trouble.cause());
  }

  /** Of the transaction nothing else is lost. */
  private static AddFailedException inTransaction(String filter, RuntimeException cause) {
    String why =
        cause instanceof DatabaseFailure f && f.gaveUpWaiting()
            ? LOCK_HELD + " (" + f.getMessage() + ")"
            : trouble(cause);
    return withinTransaction(
        filter,
        why
            + ". None of these keys is recorded; what the transaction did before stays. Add them"
            + " again, or roll the transaction back.",
        cause);
  }

  /** What was known in memory did not lead up to what is in the journal. */
  private static AddFailedException undecided(String filter, RuntimeException cause) {
    return withinTransaction(
        filter,
        "what this process knows of the filter is too old, as after a clear by another process or"
            + " when the journal was trimmed meanwhile, and is being read anew. None of these keys"
            + " is recorded. Roll the transaction back and repeat it as a whole.",
        cause);
  }

  /**
   * Without a mirror the slots are read, and the snapshot was taken before their table was made.
   */
  private static AddFailedException grewMeanwhile(String filter, RuntimeException cause) {
    return withinTransaction(
        filter,
        "the filter grew after this transaction took its snapshot, which cannot see the new slot"
            + " table. None of these keys is recorded. Roll the transaction back and repeat it as a"
            + " whole.",
        cause);
  }

  /** The server has rolled it back, or will. */
  private static AddFailedException transactionLost(String filter, TransactionLost lost) {
    Throwable cause = Objects.requireNonNullElse(lost.getCause(), lost);
    return withinTransaction(
        filter,
        trouble(cause)
            + ". The transaction as a whole is lost, as after a deadlock or with its connection."
            + " Nothing that it did is recorded. Roll it back and repeat it as a whole.",
        lost);
  }

  private static AddFailedException withinTransaction(
      String filter, String why, RuntimeException cause) {
    return new AddFailedException(
        filter,
        Outcome.NOT_RECORDED,
        0,
        "Could not add to filter " + filter + " within the caller's transaction: " + why,
        cause);
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

  private static String within(Deadline deadline) {
    return " within " + deadline.timeout();
  }

  private static AddFailedException failed(
      String filter, String within, Outcome outcome, String why, @Nullable Throwable cause) {
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
            + within
            + ": "
            + why
            + ". "
            + fate
            + " Adding them again is safe.",
        cause);
  }
}
