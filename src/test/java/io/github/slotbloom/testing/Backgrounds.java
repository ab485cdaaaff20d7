package io.github.slotbloom.testing;

import io.github.slotbloom.internal.background.Background;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** Where the work of a test is done that a library does on threads of its own. */
public final class Backgrounds {

  private static final ScheduledExecutorService TIMER =
      Executors.newSingleThreadScheduledExecutor(
          work -> {
            Thread thread = new Thread(work, "timer of the tests");
            thread.setDaemon(true);
            return thread;
          });

  private Backgrounds() {}

  /** At once, in the thread that hands it over. */
  public static Background inPlace() {
    return on(Runnable::run);
  }

  /** By that executor. */
  public static Background on(Executor executor) {
    return new Background(executor, TIMER);
  }
}
