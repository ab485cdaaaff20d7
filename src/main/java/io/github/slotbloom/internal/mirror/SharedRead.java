package io.github.slotbloom.internal.mirror;

import io.github.slotbloom.internal.background.Background;
import io.github.slotbloom.internal.background.BackgroundTask;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A read whose result is shared by all callers that wait for it. A caller that arrives during a
 * read waits for the next one, because the current one began too early. At most one read runs at a
 * time.
 */
final class SharedRead {

  private final Runnable read;
  private final Runnable rest;
  private final BackgroundTask task;
  private @Nullable CompletableFuture<Void> next;

  /**
   * @param rest releases what reads that follow each other share; runs after a read that no other
   *     follows, before the callers go on, and may run when nothing is held
   */
  SharedRead(String name, Background background, Runnable read, Runnable rest) {
    this.read = read;
    this.rest = rest;
    this.task = new BackgroundTask(name, background, this::readForAll, this::fail);
  }

  /** Returns the outcome of a read that begins after this call. */
  CompletableFuture<Void> join() {
    CompletableFuture<Void> joined;
    synchronized (this) {
      if (next == null) {
        next = new CompletableFuture<>();
      }
      joined = next;
    }
    task.request();
    return joined;
  }

  private void readForAll() {
    for (CompletableFuture<Void> round = take(); round != null; round = take()) {
      try {
        readOnce();
        round.complete(null);
      } catch (Throwable e) {
        round.completeExceptionally(e);
      }
    }
    // Another thread may have failed those that the last read left it for.
    rest.run();
  }

  private void readOnce() {
    try {
      read.run();
    } finally {
      // Those who read before may need for their next step what this releases.
      if (!isAwaited()) {
        rest.run();
      }
    }
  }

  private synchronized boolean isAwaited() {
    return next != null;
  }

  private void fail(Throwable reason) {
    CompletableFuture<Void> round = take();
    if (round != null) {
      round.completeExceptionally(reason);
    }
  }

  private synchronized @Nullable CompletableFuture<Void> take() {
    CompletableFuture<Void> round = next;
    next = null;
    return round;
  }
}
