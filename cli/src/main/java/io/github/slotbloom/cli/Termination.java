package io.github.slotbloom.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Lets a command finish its current work when Ctrl-C, SIGTERM or SIGHUP tells it to end. Lines
 * whose keys are recorded are printed, and the database is left in order.
 */
public final class Termination {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final CountDownLatch finished = new CountDownLatch(1);
  private volatile boolean requested;
  private volatile Runnable stop = () -> {};

  static Termination install() {
    Termination termination = new Termination();
    Runtime.getRuntime().addShutdownHook(new Thread(termination::request, "slotbloom-end"));
    return termination;
  }

  /** Sets the action that makes the command end early. */
  public void stopWith(Runnable stop) {
    this.stop = stop;
    if (requested) {
      stop.run();
    }
  }

  public boolean requested() {
    return requested;
  }

  /** Reports that the command is done. Call it before the process ends. */
  void finished() {
    finished.countDown();
  }

  private void request() {
    requested = true;
    stop.run();
    try {
      if (!finished.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        System.err.println(
            "slotbloom: The command did not stop within "
                + PATIENCE.toSeconds()
                + " s and is being ended now. Everything reported as recorded stays recorded.");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
