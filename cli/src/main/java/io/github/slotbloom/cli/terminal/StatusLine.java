package io.github.slotbloom.cli.terminal;

import io.github.slotbloom.cli.Surroundings;
import java.util.Timer;
import java.util.TimerTask;
import java.util.function.Supplier;

/** Shows the progress of a command on one terminal line, and removes the line at the end. */
public final class StatusLine implements AutoCloseable {

  private static final int MILLIS = 200;

  private final Surroundings surroundings;
  private final Supplier<String> progress;
  private final Timer timer = new Timer("slotbloom-status", true);
  private boolean shown;
  private boolean closed;

  /**
   * @param progress supplies the progress in words; called on another thread
   */
  public StatusLine(Surroundings surroundings, Supplier<String> progress) {
    this.surroundings = surroundings;
    this.progress = progress;
  }

  /** Starts to draw, but only if standard error is a terminal that no results are printed to. */
  public void start() {
    if (surroundings.terminal().isError() && !surroundings.terminal().isOutput()) {
      TimerTask task =
          new TimerTask() {
            @Override
            public void run() {
              show();
            }
          };
      timer.schedule(task, MILLIS, MILLIS);
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    timer.cancel();
    if (shown) {
      surroundings.messages().draw(Messages.ERASE_LINE);
    }
  }

  private synchronized void show() {
    if (closed) {
      return;
    }
    shown = true;
    surroundings.messages().draw(Messages.ERASE_LINE + progress.get());
  }
}
