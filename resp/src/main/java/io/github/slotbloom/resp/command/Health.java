package io.github.slotbloom.resp.command;

import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.error.FilterUnavailableException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Tells whether the database answers. It is asked when somebody wants to know and it was not heard
 * of for a second, by one query at a time, however many want to know. Thread-safe.
 */
final class Health {

  private static final long FRESH_NANOS = Duration.ofSeconds(1).toNanos();
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final Database database;
  private CompletableFuture<Instant> last = CompletableFuture.completedFuture(Instant.EPOCH);
  private volatile long heard = System.nanoTime() - FRESH_NANOS;

  Health(Database database) {
    this.database = database;
  }

  /** Returns a future that fails if the database does not answer soon. */
  synchronized CompletableFuture<Instant> check() {
    boolean fresh = System.nanoTime() - heard < FRESH_NANOS && !last.isCompletedExceptionally();
    if (last.isDone() && !fresh) {
      last =
          database
              .askBriefly(SlotBloom::databaseTime)
              .whenComplete((time, failure) -> heard = System.nanoTime());
    }
    // A copy: the query goes on, and nobody begins another one until it ends.
    return last.copy()
        .orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
        .exceptionallyCompose(
            failure ->
                CompletableFuture.failedFuture(
                    new FilterUnavailableException(
                        "The database has not answered for "
                            + PATIENCE.toSeconds()
                            + " s, or rejects connections.",
                        failure)));
  }
}
