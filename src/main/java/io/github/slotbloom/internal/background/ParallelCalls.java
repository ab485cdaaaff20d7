package io.github.slotbloom.internal.background;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes several calls at once, and waits for all of them. The calling thread makes the first one
 * itself, and then each one that no thread of the executor has begun yet. So nothing ever waits for
 * a thread, whatever the executor does: it may refuse, be full of callers, or be shut down.
 *
 * <p>If the calling thread is interrupted, so are the threads that make calls for it. Thread-safe.
 */
public final class ParallelCalls implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(ParallelCalls.class);

  /** Beyond that many, calling threads do the work themselves. */
  private static final int MOST_THREADS = 64;

  private static final long IDLE_SECONDS = 60;

  private final Executor executor;
  private final @Nullable ExecutorService ours;

  /** Creates calls on threads that end when they have nothing to do. */
  public ParallelCalls() {
    ours = pool();
    executor = ours;
  }

  /** Creates calls on an executor, which may take no work, and is not shut down here. */
  public ParallelCalls(Executor executor) {
    this.executor = executor;
    ours = null;
  }

  /**
   * What came of a call.
   *
   * @param result the result; null if it failed, or returned null
   * @param failure what it threw, if anything
   */
  public record Outcome<T>(@Nullable T result, @Nullable Throwable failure) {}

  /**
   * Makes all calls, and returns when all are over.
   *
   * @return what came of each, in the order of the calls
   */
  public <T> List<Outcome<T>> all(List<? extends Supplier<? extends T>> calls) {
    List<Call<T>> made = new ArrayList<>();
    for (Supplier<? extends T> call : calls) {
      made.add(new Call<>(call));
    }
    for (Call<T> call : made.subList(Math.min(1, made.size()), made.size())) {
      handOver(call);
    }
    made.forEach(Call::makeUnlessBegun);
    awaitAll(made);
    return made.stream().map(call -> call.outcome).toList();
  }

  /** Makes all calls on the calling thread, one after the other, also those after a failed one. */
  public static <T> List<Outcome<T>> inTurn(List<? extends Supplier<? extends T>> calls) {
    return calls.stream()
        .map(
            call -> {
              Call<T> made = new Call<>(call);
              made.makeUnlessBegun();
              return made.outcome;
            })
        .toList();
  }

  private void handOver(Call<?> call) {
    try {
      executor.execute(call::helpUnlessBegun);
    } catch (Throwable e) {
      log.debug("an executor rejected a task, so the calling thread runs it", e);
    }
  }

  private static void awaitAll(List<? extends Call<?>> made) {
    boolean interrupted = false;
    for (Call<?> call : made) {
      while (true) {
        try {
          call.over.await();
          break;
        } catch (InterruptedException e) {
          interrupted = true;
          made.forEach(Call::interrupt);
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    if (ours != null) {
      ours.shutdown();
    }
  }

  private static ExecutorService pool() {
    return new ThreadPoolExecutor(
        0,
        MOST_THREADS,
        IDLE_SECONDS,
        TimeUnit.SECONDS,
        new SynchronousQueue<>(),
        Background.daemons("slotbloom-parts-"));
  }

  private static final class Call<T> {

    private final Supplier<? extends T> work;
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile Outcome<T> outcome = new Outcome<>(null, null);
    private boolean begun;
    private @Nullable Thread helper;
    private boolean interrupted;

    Call(Supplier<? extends T> work) {
      this.work = work;
    }

    void makeUnlessBegun() {
      if (begin(null)) {
        make();
      }
    }

    void helpUnlessBegun() {
      if (begin(Thread.currentThread())) {
        try {
          make();
        } finally {
          end();
        }
      }
    }

    private void make() {
      try {
        outcome = new Outcome<>(work.get(), null);
      } catch (Throwable e) {
        outcome = new Outcome<>(null, e);
      } finally {
        over.countDown();
      }
    }

    /**
     * Takes the call, unless somebody has. An interrupt never comes between that and who helps, so
     * no helper misses it.
     */
    private synchronized boolean begin(@Nullable Thread by) {
      if (begun) {
        return false;
      }
      begun = true;
      helper = by;
      return true;
    }

    /** The thread that helped takes no interrupt along that was for this call. */
    private synchronized void end() {
      helper = null;
      if (interrupted) {
        Thread.interrupted();
      }
    }

    synchronized void interrupt() {
      if (helper != null) {
        interrupted = true;
        helper.interrupt();
      }
    }
  }
}
