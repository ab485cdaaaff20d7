package io.github.slotbloom.schedule;

import io.github.slotbloom.reliability.Operation;
import io.github.slotbloom.reliability.Operation.Answer;
import io.github.slotbloom.reliability.Operation.Kind;
import java.util.ArrayList;
import java.util.List;

/** What the callers of one run saw, in the time of its world. Thread-safe. */
final class History {

  private final World world;
  private final List<Operation> operations = new ArrayList<>();
  private long batches;
  private long endedAt = Operation.NEVER;
  private long silentAt = Operation.NEVER;
  private long mergedAt = Operation.NEVER;

  History(World world) {
    this.world = world;
  }

  /** Returns a number for keys that share a transaction. */
  synchronized long nextBatch() {
    return ++batches;
  }

  /** Takes in that a call begins; returns its place. */
  synchronized int begin(Kind kind, long key, long boundNanos, long batch) {
    operations.add(
        new Operation(
            kind, Answer.NONE, key, world.nanoTime(), Operation.NEVER, boundNanos, batch));
    return operations.size() - 1;
  }

  /** Takes in the answer to it. */
  synchronized void complete(int place, Answer answer) {
    if (world.isOfKilled()) {
      return;
    }
    Operation begun = operations.get(place);
    operations.set(
        place,
        new Operation(
            begun.kind(),
            answer,
            begun.key(),
            begun.invoked(),
            answer == Answer.NONE ? Operation.NEVER : world.nanoTime(),
            begun.boundNanos(),
            begun.batch()));
  }

  /**
   * Takes in that nobody has the filter any more, by what a caller was told.
   *
   * @param answersNanos how long it may still be answered from memory
   */
  synchronized void ended(long answersNanos) {
    if (!world.isOfKilled()) {
      endedAt = Math.min(endedAt, world.nanoTime());
      silentAt = Math.min(silentAt, world.nanoTime() + answersNanos);
    }
  }

  /** Returns when answers from memory ended, too; {@link Operation#NEVER} if that was not told. */
  synchronized long silentAt() {
    return silentAt;
  }

  /** Returns when nobody had the filter any more; {@link Operation#NEVER} if that was not told. */
  synchronized long endedAt() {
    return endedAt;
  }

  /** Takes in that the filter has the key of the source, by what a caller was told. */
  synchronized void merged() {
    if (!world.isOfKilled()) {
      mergedAt = Math.min(mergedAt, world.nanoTime());
    }
  }

  /** Returns since when it has that key; {@link Operation#NEVER} if that was not told. */
  synchronized long mergedAt() {
    return mergedAt;
  }

  synchronized List<Operation> operations() {
    return List.copyOf(operations);
  }
}
