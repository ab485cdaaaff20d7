package io.github.slotbloom.testing;

import io.github.slotbloom.BloomFilter;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Calls that wait for something the test does afterwards. */
public final class Calls {

  private Calls() {}

  /** Makes a call in a thread of its own. However many wait, none waits for a free thread. */
  public static <T> CompletableFuture<T> inBackground(Callable<T> call) {
    CompletableFuture<T> outcome = new CompletableFuture<>();
    new Thread(
            () -> {
              try {
                outcome.complete(call.call());
              } catch (Throwable e) {
                outcome.completeExceptionally(e);
              }
            })
        .start();
    return outcome;
  }

  /** Returns the outcome of a call that nothing holds up any longer. */
  public static <T> T get(CompletableFuture<T> outcome) throws Exception {
    return outcome.get(60, TimeUnit.SECONDS);
  }

  /**
   * Returns calls of each kind, of a key that is there, "a", and of others.
   *
   * @param transaction is rolled back by the one that uses it
   */
  public static List<ThrowingCallable> ofEachKind(
      BloomFilter<String> filter, Connection transaction) {
    return List.of(
        () -> filter.mightContain("a"),
        () -> filter.mightContain("b"),
        () -> filter.mightContainEach(List.of("a", "b")),
        () -> filter.add("a"),
        () -> filter.add("b"),
        () -> filter.addEach(List.of("b", "c")),
        () -> {
          try {
            get(filter.addAsync("c"));
          } catch (ExecutionException e) {
            throw e.getCause();
          }
        },
        () -> {
          try {
            filter.within(transaction).add("b");
          } finally {
            // It has the lock of the filter, whatever became of it.
            transaction.rollback();
          }
        });
  }
}
