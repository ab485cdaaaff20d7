package io.github.slotbloom.internal.add;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.SlotBloomException;
import io.github.slotbloom.error.WriteFailedException;
import io.github.slotbloom.error.WriteFailedException.Outcome;
import io.github.slotbloom.internal.add.PendingWrite.Kind;
import io.github.slotbloom.internal.background.NotStartedException;
import io.github.slotbloom.internal.failure.Failures;
import io.github.slotbloom.internal.membership.KnownKeys;
import io.github.slotbloom.internal.mirror.FilterNotReady;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import io.github.slotbloom.internal.store.session.TransactionLost;
import io.github.slotbloom.internal.time.Deadline;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns the failures that keep adds and removals from being written into exceptions that also say
 * what happened to the keys. If the keys do not matter, {@link Failures} makes the exceptions.
 */
public final class WriteFailures {

  private static final String LOOK_FOR =
      "look for one that added to this filter (BloomFilter.within) and has not ended";

  /** Says that another transaction held the lock, as the server reported. */
  static final String LOCK_HELD =
      "another transaction held the filter's lock the whole time; " + LOOK_FOR;

  /** Says that the lock was awaited, without an answer from the server so far. */
  static final String LOCK_AWAITED =
      "it waited for the filter's lock the whole time: either the database does not answer, or"
          + " another transaction holds the lock; "
          + LOOK_FOR;

  private WriteFailures() {}

  /**
   * Returns the exception for callers of a write.
   *
   * @param outcome what happened to their keys
   * @param cause null if only the time ran out
   */
  static RuntimeException translate(
      FilterName filter, PendingWrite pending, Outcome outcome, @Nullable Throwable cause) {
    // That says nothing of the keys.
    boolean unavailable = cause instanceof FilterUnavailableException;
    if (cause instanceof SlotBloomException e && !unavailable) {
      return e;
    }
    return cause != null && Failures.takesNoKeys(cause)
        ? new Failures(filter).translate(cause)
        : of(filter, pending, outcome, cause);
  }

  /**
   * Returns the exception for an add within a caller's transaction.
   *
   * @param notHere makes the exception for a connection that leads to another schema
   */
  static RuntimeException translateInTransaction(
      FilterName filter, RuntimeException failure, Supplier<? extends RuntimeException> notHere) {
    if (failure instanceof TransactionLost lost) {
      // On a server with autocommit on there are no savepoints either.
      return lost.getCause() instanceof SlotBloomException refused
          ? refused
          : transactionLost(filter, lost);
    }
    if (failure instanceof KnownKeys.StaleException) {
      return withinTransaction(
          filter,
          "this process's copy of the filter is outdated, for example because another process"
              + " cleared the filter or trimmed its journal, and is being reloaded. None of these"
              + " keys was recorded. Roll back the transaction and repeat all of it.",
          failure);
    }
    if (failure instanceof DatabaseFailure f && f.tableMissing()) {
      return notHere.get();
    }
    if (failure instanceof DatabaseFailure f && f.tableYoungerThanSnapshot()) {
      // Without a mirror the slots are read in the transaction's own snapshot.
      return withinTransaction(
          filter,
          "the filter got a new slot table after this transaction took its snapshot, which cannot"
              + " see it. None of these keys was recorded. Roll back the transaction and repeat all"
              + " of it.",
          f);
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

  /** Returns the exception for callers of an add, if {@link #translate} has no better one. */
  public static WriteFailedException of(
      FilterName filter, PendingWrite pending, Outcome outcome, @Nullable Throwable cause) {
    String why = cause == null ? "it was not written in time" : trouble(cause);
    String within = pending.deadline.passed() ? within(pending.deadline) : "";
    return failed(filter, pending.kind, within, outcome, why, cause);
  }

  /** Describes the writer's current problem. */
  static String trouble(Throwable failure) {
    if (failure instanceof DatabaseFailure f && f.lockWaitTimeout()) {
      return LOCK_HELD + " (" + f.getMessage() + ")";
    }
    return Failures.reason(failure);
  }

  /**
   * Returns the exception for an add whose time ran out.
   *
   * @param trouble the writer's current problem, if any
   */
  public static WriteFailedException timedOut(
      FilterName filter, PendingWrite pending, boolean neverWritten, @Nullable Trouble trouble) {
    String why;
    if (trouble != null) {
      why = trouble.why();
    } else if (neverWritten) {
      why = "it waited too long in the write queue";
    } else {
      why = "the database did not answer in time";
    }
    return failed(
        filter,
        pending.kind,
        within(pending.deadline),
        neverWritten ? Outcome.NOT_RECORDED : Outcome.UNKNOWN,
        why,
        trouble == null ? null : trouble.cause());
  }

  /**
   * Returns the exception for an add that failed while the rest of the transaction stays intact.
   */
  private static WriteFailedException inTransaction(FilterName filter, RuntimeException cause) {
    String why =
        cause instanceof DatabaseFailure f && f.gaveUpWaiting()
            ? LOCK_HELD + " (" + f.getMessage() + ")"
            : trouble(cause);
    return withinTransaction(
        filter,
        why
            + ". None of these keys was recorded; what the transaction did before remains. Add them"
            + " again, or roll back the transaction.",
        cause);
  }

  /** Returns the exception for a transaction that the server has rolled back or will roll back. */
  private static WriteFailedException transactionLost(FilterName filter, TransactionLost lost) {
    Throwable cause = Objects.requireNonNullElse(lost.getCause(), lost);
    return withinTransaction(
        filter,
        trouble(cause)
            + ". The whole transaction is lost, as after a deadlock or with its connection. Nothing"
            + " that it did was recorded. Roll it back and repeat all of it.",
        lost);
  }

  /**
   * Returns the exception for an add within a caller's transaction, which makes no tables and holds
   * the lock that whoever makes one needs.
   */
  static WriteFailedException noTableForBucket(FilterName filter) {
    return withinTransaction(
        filter,
        "all of its keys have expired, and the table for the current bucket has not been created"
            + " yet. None of these keys was recorded. Roll back the transaction and repeat all of"
            + " it. If this persists, make sure that tables can be created: the log says why it"
            + " failed.",
        null);
  }

  private static WriteFailedException withinTransaction(
      FilterName filter, String why, @Nullable RuntimeException cause) {
    return new WriteFailedException(
        filter.value(),
        Outcome.NOT_RECORDED,
        0,
        "Could not add to filter " + filter + " within the caller's transaction: " + why,
        cause);
  }

  /**
   * Returns the exception for callers of an add of a list, where a part of the list failed after
   * other parts were recorded, which may stand before and behind it.
   *
   * @param durableBefore how many keys before the part that failed are durable
   */
  public static WriteFailedException ofSomeOfList(
      FilterName filter, int durableBefore, SlotBloomException failure) {
    return new WriteFailedException(
        filter.value(),
        Outcome.UNKNOWN,
        durableBefore,
        "Could not add all keys to filter "
            + filter
            + ": of those from number "
            + (durableBefore + 1)
            + " on, some may have been recorded, and no caller was told that they are new. Adding"
            + " them again is safe. Cause: "
            + failure.getMessage(),
        failure);
  }

  static WriteFailedException queueFull(FilterName filter, Kind kind, int queued, int capacity) {
    return new WriteFailedException(
        filter.value(),
        Outcome.NOT_RECORDED,
        0,
        "Could not "
            + kind.verb
            + " filter "
            + filter
            + ": the write queue is full, with "
            + queued
            + " of "
            + capacity
            + " keys. "
            + kind.nothingDone
            + " Wait for earlier calls, or open the filter with a larger queueCapacity.",
        null);
  }

  private static String within(Deadline deadline) {
    return " within " + deadline.timeout();
  }

  private static WriteFailedException failed(
      FilterName filter,
      Kind kind,
      String within,
      Outcome outcome,
      String why,
      @Nullable Throwable cause) {
    return new WriteFailedException(
        filter.value(),
        outcome,
        0,
        "Could not "
            + kind.verb
            + " filter "
            + filter
            + within
            + ": "
            + why
            + ". "
            + (outcome == Outcome.NOT_RECORDED ? kind.nothingDone : kind.perhapsDone)
            + " "
            + kind.again,
        cause);
  }
}
