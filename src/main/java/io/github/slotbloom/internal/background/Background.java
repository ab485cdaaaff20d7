package io.github.slotbloom.internal.background;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands work over to other threads. The hand-over may fail with any Throwable: if the operating
 * system starts no further thread, an executor throws an {@link OutOfMemoryError}. In that case
 * this class makes certain that the work never runs, and everyone who waits for it learns of that
 * at once. Thread-safe.
 */
public final class Background {

  private static final Logger log = LoggerFactory.getLogger(Background.class);

  private final Executor executor;
  private final ScheduledExecutorService timer;

  /**
   * @param executor runs the work
   * @param timer tells when to hand work over, and runs none itself
   */
  public Background(Executor executor, ScheduledExecutorService timer) {
    this.executor = executor;
    this.timer = timer;
  }

  /**
   * Runs work in another thread.
   *
   * @return completes with the outcome of the work, or with a {@link NotStartedException}
   */
  public <T> CompletableFuture<T> supply(Supplier<T> work) {
    CompletableFuture<T> outcome = new CompletableFuture<>();
    begin(outcome, () -> outcome.complete(work.get()));
    return outcome;
  }

  /** Does the same as {@link #supply}, for work without a result. */
  public CompletableFuture<Void> run(Runnable work) {
    CompletableFuture<Void> outcome = new CompletableFuture<>();
    begin(
        outcome,
        () -> {
          work.run();
          outcome.complete(null);
        });
    return outcome;
  }

  /**
   * Returns work that throws nothing, for those who must go on after it. Even the attempt to log a
   * failure could throw, as where memory does not suffice.
   */
  public static Runnable unfailing(Runnable work, Consumer<Throwable> logged) {
    return () -> {
      try {
        work.run();
      } catch (Throwable e) {
        try {
          logged.accept(e);
        } catch (Throwable unlogged) {
          e.addSuppressed(unlogged);
        }
      }
    };
  }

  private void begin(CompletableFuture<?> outcome, Runnable work) {
    try {
      handOver(
          () -> {
            try {
              work.run();
            } catch (Throwable e) {
              outcome.completeExceptionally(e);
            }
          });
    } catch (NotStartedException e) {
      outcome.completeExceptionally(e);
    }
  }

  /** Returns what makes threads that end with the process, with numbers behind their names. */
  public static ThreadFactory daemons(String prefix) {
    AtomicInteger number = new AtomicInteger();
    return work -> {
      Thread thread = new Thread(work, prefix + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  /**
   * Runs work in another thread. An exception of the work is left to the work itself.
   *
   * @throws NotStartedException if it does not run, now or later
   */
  void handOver(Runnable work) {
    handTo(executor, work);
  }

  /**
   * Lets the timer run a brief action after some time.
   *
   * @throws NotStartedException if it cannot
   */
  void later(long nanos, Runnable brief) {
    handTo(
        once -> {
          var unused = timer.schedule(once, nanos, TimeUnit.NANOSECONDS);
        },
        brief);
  }

  private static void handTo(Executor executor, Runnable work) {
    Once once = new Once(work);
    try {
      executor.execute(once);
    } catch (Throwable e) {
      if (once.claim()) {
        throw new NotStartedException(e);
      }
      log.debug("an executor threw an exception for a task that it runs anyway", e);
    }
  }

  /**
   * Work that runs once or never. An executor may keep work and still throw, so the work either
   * runs or counts as refused.
   */
  private static final class Once implements Runnable {

    private final Runnable work;
    private final AtomicBoolean claimed = new AtomicBoolean();

    Once(Runnable work) {
      this.work = work;
    }

    boolean claim() {
      return claimed.compareAndSet(false, true);
    }

    @Override
    public void run() {
      if (claim()) {
        work.run();
      }
    }
  }
}
