package io.github.slotbloom.internal.admin;

import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.internal.background.Background;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps saying that this process works on something, also while a query sorts or slots are folded
 * for minutes. Thread-safe.
 */
final class SignOfLife {

  private static final Logger log = LoggerFactory.getLogger(SignOfLife.class);

  /** Several fit into the time after which a silent process is taken for dead. */
  private static final long INTERVAL_SECONDS = 4;

  private final Runnable sign;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          work -> {
            Thread daemon = new Thread(work, "slotbloom-life");
            daemon.setDaemon(true);
            return daemon;
          });

  /**
   * @param sign may be repeated and may fail
   */
  SignOfLife(Runnable sign) {
    // What it stands for needs the database as well, and says so if it cannot go on.
    this.sign = Background.unfailing(sign, e -> log.debug("no sign of life could be given", e));
  }

  /**
   * Gives a sign every few seconds from now on.
   *
   * @throws FilterUnavailableException if no thread could be started
   */
  void begin() {
    try {
      Future<?> unused =
          thread.scheduleWithFixedDelay(sign, INTERVAL_SECONDS, INTERVAL_SECONDS, TimeUnit.SECONDS);
    } catch (Throwable e) {
      throw new FilterUnavailableException(
          "The work cannot go on: no thread could be started to tell other processes that it"
              + " goes on ("
              + e
              + "). Raise the limit on threads of this process or its container, or start fewer"
              + " threads. Then repeat the call; it continues where it stopped.",
          e);
    }
  }

  void end() {
    thread.shutdownNow();
  }
}
