package io.github.slotbloom.internal.mirror;

import io.github.slotbloom.internal.background.Background;
import io.github.slotbloom.internal.background.BackgroundTask;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A read whose result is shared by all callers that wait for it. A caller that arrives during a
 * read waits for the next one, because the current one began too early. At most one read runs at a
 * time.
 *
 * @param <T> what callers want to have read. One read serves all that are wanted when it begins
 */
final class SharedRead<T> {

  private final Function<Set<T>, Function<T, CompletableFuture<Void>>> read;
  private final Runnable rest;
  private final BackgroundTask task;
  private Map<T, CompletableFuture<Void>> next = new HashMap<>();

  /**
   * @param read reads what is wanted, and returns what the callers of each have to wait for after
   *     that
   * @param rest releases what reads that follow each other share; runs after a read that no other
   *     follows, before the callers go on, and may run when nothing is held
   */
  SharedRead(
      String name,
      Background background,
      Function<Set<T>, Function<T, CompletableFuture<Void>>> read,
      Runnable rest) {
    this.read = read;
    this.rest = rest;
    this.task = new BackgroundTask(name, background, this::readForAll, this::fail);
  }

  /** Returns the outcome of a read that begins after this call, and of what follows from it. */
  CompletableFuture<Void> join(T wanted) {
    CompletableFuture<Void> joined;
    synchronized (this) {
      joined = next.computeIfAbsent(wanted, first -> new CompletableFuture<>());
    }
    task.request();
    return joined;
  }

  private void readForAll() {
    for (var round = take(); !round.isEmpty(); round = take()) {
      try {
        Function<T, CompletableFuture<Void>> after = readOnce(round.keySet());
        round.forEach((wanted, outcome) -> follow(after.apply(wanted), outcome));
      } catch (Throwable e) {
        fail(round, e);
      }
    }
    // Another thread may have failed those that the last read left it for.
    rest.run();
  }

  private Function<T, CompletableFuture<Void>> readOnce(Set<T> wanted) {
    try {
      return read.apply(wanted);
    } finally {
      // Those who read before may need for their next step what this releases.
      if (!isAwaited()) {
        rest.run();
      }
    }
  }

  private static void follow(CompletableFuture<Void> done, CompletableFuture<Void> outcome) {
    CompletableFuture<Void> unused =
        done.whenComplete(
            (nothing, failure) -> {
              if (failure == null) {
                outcome.complete(null);
              } else {
                outcome.completeExceptionally(failure);
              }
            });
  }

  private synchronized boolean isAwaited() {
    return !next.isEmpty();
  }

  private void fail(Throwable reason) {
    fail(take(), reason);
  }

  private void fail(Map<T, CompletableFuture<Void>> round, Throwable reason) {
    round.values().forEach(outcome -> outcome.completeExceptionally(reason));
  }

  private synchronized Map<T, CompletableFuture<Void>> take() {
    Map<T, CompletableFuture<Void>> round = next;
    next = new HashMap<>();
    return round;
  }
}
