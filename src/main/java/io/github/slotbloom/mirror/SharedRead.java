package io.github.slotbloom.mirror;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A read that all who wait at that moment share. Who arrives while one is under way waits for the
 * next, since that one began too early. At most one runs at a time.
 */
final class SharedRead {

  private final Executor executor;
  private final Runnable read;
  private @Nullable CompletableFuture<Void> next;
  private boolean running;

  SharedRead(Executor executor, Runnable read) {
    this.executor = executor;
    this.read = read;
  }

  /** The outcome of a read that begins after this call. */
  CompletableFuture<Void> join() {
    CompletableFuture<Void> joined;
    boolean start;
    synchronized (this) {
      if (next == null) {
        next = new CompletableFuture<>();
      }
      joined = next;
      start = !running;
      running = true;
    }
    if (start) {
      start();
    }
    return joined;
  }

  private void start() {
    try {
      executor.execute(this::runAll);
    } catch (RejectedExecutionException e) {
      // Closed meanwhile. Whoever waits must not wait for a read that nobody makes.
      for (CompletableFuture<Void> round = take(); round != null; round = take()) {
        round.completeExceptionally(e);
      }
    }
  }

  private void runAll() {
    for (CompletableFuture<Void> round = take(); round != null; round = take()) {
      try {
        read.run();
        round.complete(null);
      } catch (RuntimeException | Error e) {
        round.completeExceptionally(e);
      }
    }
  }

  private synchronized @Nullable CompletableFuture<Void> take() {
    CompletableFuture<Void> round = next;
    next = null;
    running = round != null;
    return round;
  }
}
