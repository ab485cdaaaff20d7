package io.github.slotbloom.internal.admin;

import io.github.slotbloom.internal.background.Background;
import io.github.slotbloom.internal.background.BackgroundTask;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.time.TimeSource;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps saying that this process works on something, also while a query sorts or slots are folded
 * for minutes, until it is ended. Thread-safe.
 */
public final class SignOfLife {

  private static final Logger log = LoggerFactory.getLogger(SignOfLife.class);

  /** Several fit into the time after which a silent process is taken for dead. */
  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(4);

  private final FilterEngines engines;
  private final TimeSource time;
  private final BackgroundTask task;
  private final Runnable tick = this::tick;
  private volatile long givenAt;

  /**
   * Gives a sign every few seconds from now on.
   *
   * @param sign may be repeated and may fail
   */
  public SignOfLife(FilterEngines engines, TimeSource time, Runnable sign) {
    this.engines = engines;
    this.time = time;
    // What it stands for needs the database as well, and says so if it cannot go on.
    Runnable unfailing =
        Background.unfailing(sign, e -> log.debug("no sign of life could be given", e));
    task = new BackgroundTask("giving signs of life", engines.io(), unfailing, e -> {});
    givenAt = time.nanoTime();
    engines.onEachTick(tick);
  }

  private void tick() {
    if (time.nanoTime() - givenAt >= INTERVAL_NANOS) {
      givenAt = time.nanoTime();
      task.requestUnlessRunning();
    }
  }

  public void end() {
    engines.onNoMoreTicks(tick);
  }
}
