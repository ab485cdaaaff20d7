package io.github.slotbloom.internal.lookup;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** The lookup of one key by one caller, which others may wait for. Thread-safe. */
final class RunningLookup<V> {

  private final Thread caller = Thread.currentThread();
  private final CompletableFuture<Optional<V>> result = new CompletableFuture<>();

  void end(Optional<V> found) {
    result.complete(found);
  }

  /** Ends it with an exception, unless it has ended. */
  void fail(RuntimeException failure) {
    result.completeExceptionally(failure);
  }

  /** Refuses to wait for a lookup of the same thread. */
  void requireOther() {
    if (caller == Thread.currentThread()) {
      throw new IllegalStateException(
          "The lookup function for a key called the guard with the same key, and would wait for"
              + " itself. Query the table instead.");
    }
  }

  /**
   * Waits for the end, and returns the value if there is one.
   *
   * @throws RuntimeException the one that the lookup threw
   */
  Optional<V> await() {
    try {
      return result.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw e;
    }
  }
}
