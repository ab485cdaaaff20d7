package io.github.slotbloom.internal.background;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work that one thread at a time does in the background, on request.
 *
 * <p>Each {@link #request} is followed by a run of the work that begins after it, or by a call that
 * reports that no thread could be had. A failure never blocks the next request, no matter if the
 * hand-over or the work itself threw. Thread-safe.
 */
public final class BackgroundTask {

  private static final Logger log = LoggerFactory.getLogger(BackgroundTask.class);

  private enum State {
    IDLE,
    RUNNING,
    /** Requested again since the run began, so another run follows. */
    RUNNING_AND_WANTED
  }

  private final String name;
  private final Background background;
  private final Runnable work;
  private final Consumer<NotStartedException> notStarted;
  private final AtomicReference<State> state = new AtomicReference<>(State.IDLE);
  private final AtomicBoolean delayed = new AtomicBoolean();
  private final AtomicBoolean troubled = new AtomicBoolean();

  /**
   * @param name what it does, for the log
   * @param notStarted called by a thread that made a request, while the task is free again; must
   *     tell all who wait for a run. Threads that request a run meanwhile try for themselves
   */
  public BackgroundTask(
      String name, Background background, Runnable work, Consumer<NotStartedException> notStarted) {
    this.name = name;
    this.background = background;
    this.work = Background.unfailing(work, e -> log.error("{} failed", name, e));
    this.notStarted = notStarted;
  }

  /** Runs the work. If the work is running, it runs again after that. */
  public void request() {
    if (beginOrRepeat()) {
      start();
    }
  }

  /** Runs the work unless it is running. */
  public void requestUnlessRunning() {
    if (state.compareAndSet(State.IDLE, State.RUNNING)) {
      start();
    }
  }

  /**
   * Does the same as {@link #request}, after some time. While one request waits for its time,
   * others add none.
   */
  public void requestIn(long nanos) {
    if (!delayed.compareAndSet(false, true)) {
      return;
    }
    try {
      background.later(nanos, this::requestNow);
    } catch (NotStartedException e) {
      delayed.set(false);
      tell(e);
    }
  }

  private void requestNow() {
    delayed.set(false);
    request();
  }

  /** Returns true if the caller must start the work. */
  private boolean beginOrRepeat() {
    while (true) {
      if (state.get() == State.RUNNING_AND_WANTED
          || state.compareAndSet(State.RUNNING, State.RUNNING_AND_WANTED)) {
        return false;
      }
      if (state.compareAndSet(State.IDLE, State.RUNNING)) {
        return true;
      }
    }
  }

  private void start() {
    try {
      background.handOver(this::runAll);
      troubled.set(false);
    } catch (NotStartedException e) {
      // This comes first, so that threads that come from here on need not be told by this one.
      state.set(State.IDLE);
      tell(e);
    }
  }

  private void tell(NotStartedException e) {
    if (e.closed()) {
      log.trace("closed, so no more {}", name, e);
    } else if (!troubled.getAndSet(true)) {
      log.warn("{} did not begin; will retry: {}", name, e.getMessage());
    }
    notStarted.accept(e);
  }

  private void runAll() {
    do {
      work.run();
    } while (!end());
  }

  /** Returns false if the work was requested again. */
  private boolean end() {
    if (state.compareAndSet(State.RUNNING, State.IDLE)) {
      return true;
    }
    state.set(State.RUNNING);
    return false;
  }
}
