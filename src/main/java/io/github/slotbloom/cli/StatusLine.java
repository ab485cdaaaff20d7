package io.github.slotbloom.cli;

import java.util.Locale;
import java.util.OptionalLong;
import java.util.Timer;
import java.util.TimerTask;
import org.jspecify.annotations.Nullable;

/** Shows on the terminal how far a pipeline is, on one line that is removed in the end. */
final class StatusLine implements AutoCloseable {

  private static final int MILLIS = 200;
  private static final int BAR = 24;

  private final Counts counts;
  private final OptionalLong size;
  private final Timer timer = new Timer("slotbloom-status", true);
  private final long begin = System.nanoTime();
  private @Nullable String last;
  private boolean shown;
  private boolean closed;

  StatusLine(Counts counts, OptionalLong size) {
    this.counts = counts;
    this.size = size;
  }

  /** Shows something only if standard error is a terminal that no results are printed to. */
  void start() {
    if (Terminal.isError() && !Terminal.isOutput()) {
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

  /** Shows from now on what is done after the last line. */
  synchronized void last(String doing) {
    last = doing;
  }

  @Override
  public synchronized void close() {
    closed = true;
    timer.cancel();
    if (shown) {
      Messages.draw(Messages.ERASE_LINE);
    }
  }

  private synchronized void show() {
    if (closed) {
      return;
    }
    shown = true;
    Messages.draw(Messages.ERASE_LINE + (last == null ? progress() : last));
  }

  private String progress() {
    double seconds = (System.nanoTime() - begin) / 1e9;
    return bar()
        + String.format(
            Locale.ROOT,
            "%,d lines, %,d seen before, %,.0f lines/s",
            counts.lines(),
            counts.no(),
            counts.lines() / seconds);
  }

  /** How much of the input is behind us, if it is known how much there is. */
  private String bar() {
    if (size.isEmpty() || size.getAsLong() == 0) {
      return "";
    }
    double part = Math.min(1, (double) counts.bytes() / size.getAsLong());
    int full = (int) Math.round(part * BAR);
    return String.format(
        Locale.ROOT, "[%s%s] %3.0f %%  ", "#".repeat(full), ".".repeat(BAR - full), part * 100);
  }
}
