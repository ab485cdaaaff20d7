package io.github.slotbloom.testing;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

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
}
