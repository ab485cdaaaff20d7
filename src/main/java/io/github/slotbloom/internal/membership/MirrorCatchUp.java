package io.github.slotbloom.internal.membership;

import io.github.slotbloom.internal.mirror.Mirror;
import io.github.slotbloom.internal.time.Deadline;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a mirror that heard nothing for a lease catch up before a transaction of a caller takes the
 * lock. Catching up takes another connection, and the pool may have none left while the caller
 * holds one. So it is tried only briefly, and not while an earlier attempt hangs. Thread-safe.
 */
final class MirrorCatchUp {

  private static final Logger log = LoggerFactory.getLogger(MirrorCatchUp.class);
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private final Mirror mirror;
  private volatile CompletableFuture<Void> attempt = CompletableFuture.completedFuture(null);

  MirrorCatchUp(Mirror mirror) {
    this.mirror = mirror;
  }

  /** Waits for the mirror. The wait is brief, unless there is nothing in memory to answer from. */
  void await(Deadline deadline) {
    boolean loaded = mirror.image() != null;
    if (loaded && (mirror.leased() || !attempt.isDone())) {
      return;
    }
    CompletableFuture<Void> refresh = mirror.refresh();
    attempt = refresh;
    long remaining = Math.max(0, deadline.remainingNanos());
    try {
      refresh.get(loaded ? Math.min(PATIENCE_NANOS, remaining) : remaining, TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException e) {
      if (!loaded && e.getCause() instanceof RuntimeException reason) {
        throw reason;
      }
      log.debug("the mirror could not catch up before the lock is taken", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
