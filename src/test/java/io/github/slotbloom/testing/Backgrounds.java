package io.github.slotbloom.testing;

import io.github.slotbloom.internal.background.Background;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** Provides test replacements for the library's background threads. */
public final class Backgrounds {

  private static final ScheduledExecutorService TIMER =
      Executors.newSingleThreadScheduledExecutor(
          work -> {
            Thread thread = new Thread(work, "timer of the tests");
            thread.setDaemon(true);
            return thread;
          });

  private Backgrounds() {}

  /** Returns a background that runs work at once in the calling thread. */
  public static Background inPlace() {
    return on(Runnable::run);
  }

  /** Returns a background that runs work in an executor. */
  public static Background on(Executor executor) {
    return new Background(executor, TIMER);
  }
}
