package io.github.slotbloom.resp.command;

import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.error.FilterUnavailableException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether the database answers. It is asked when somebody wants to know and it was not heard
 * of for a second, by one query at a time, however many want to know. Thread-safe.
 */
final class Health {

  private static final long FRESH_NANOS = Duration.ofSeconds(1).toNanos();
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final Database database;
  private final AtomicReference<@Nullable CompletableFuture<Void>> check = new AtomicReference<>();
  private volatile long heard = System.nanoTime() - FRESH_NANOS;

  Health(Database database) {
    this.database = database;
  }

  /** Returns a future that fails if the database does not answer soon. */
  CompletableFuture<Void> check() {
    if (System.nanoTime() - heard < FRESH_NANOS) {
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<Void> mine = new CompletableFuture<>();
    CompletableFuture<Void> running = check.compareAndExchange(null, mine);
    if (running == null) {
      running = mine;
      begin(mine);
    }
    // A copy: the query goes on, and nobody begins another one until it ends.
    return running
        .copy()
        .orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
        .exceptionallyCompose(
            failure ->
                CompletableFuture.failedFuture(
                    new FilterUnavailableException(
                        "The database has not answered for "
                            + PATIENCE.toSeconds()
                            + " s, or refuses.",
                        failure)));
  }

  private void begin(CompletableFuture<Void> mine) {
    try {
      var unused =
          database
              .askBriefly(SlotBloom::databaseTime)
              .whenComplete(
                  (time, failure) -> {
                    if (failure == null) {
                      heard = System.nanoTime();
                    }
                    end(mine, failure);
                  });
    } catch (RuntimeException e) {
      end(mine, e);
      throw e;
    }
  }

  private void end(CompletableFuture<Void> mine, @Nullable Throwable failure) {
    check.set(null);
    if (failure == null) {
      mine.complete(null);
    } else {
      mine.completeExceptionally(failure);
    }
  }
}
