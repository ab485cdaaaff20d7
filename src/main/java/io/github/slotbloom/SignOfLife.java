package io.github.slotbloom;

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
    Future<?> unused =
        thread.scheduleWithFixedDelay(
            () -> give(sign), INTERVAL_SECONDS, INTERVAL_SECONDS, TimeUnit.SECONDS);
  }

  private static void give(Runnable sign) {
    try {
      sign.run();
    } catch (RuntimeException e) {
      // What it stands for needs the database as well, and says so if it cannot go on.
      log.debug("no sign of life could be given", e);
    }
  }

  void end() {
    thread.shutdownNow();
  }
}
