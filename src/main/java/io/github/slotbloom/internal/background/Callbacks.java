package io.github.slotbloom.internal.background;

import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Completes the futures that callers were given. It uses the executor of the application or threads
 * of its own, never the thread that found the answer, because the actions that depend on a future
 * may take long.
 *
 * <p>An answer is given no matter what that executor does. If the executor refuses a completion,
 * runs it in place, or has not run it when the time is up, a thread of this class completes the
 * future. If no such thread can be started, that is tried again with each {@link #tick}.
 * Thread-safe.
 */
public final class Callbacks implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Callbacks.class);

  private static final int THREADS = 4;
  private static final long IDLE_SECONDS = 60;

  private final ExecutorService ours = pool();
  private final Executor executor;
  private final LongSupplier nanoTime;
  private final Set<Completion<?>> untold = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean refused = new AtomicBoolean();
  private volatile boolean closed;

  /**
   * @param executor the executor of the application, if it provides one
   * @param nanoTime a monotonic clock in nanoseconds
   */
  public Callbacks(@Nullable Executor executor, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.executor = Objects.requireNonNullElse(executor, ours);
  }

  /**
   * Returns a future that ends as another one does.
   *
   * @param patience how long the executor may take
   */
  public <T> CompletableFuture<T> completeLike(CompletableFuture<T> found, Duration patience) {
    CompletableFuture<T> told = new CompletableFuture<>();
    var unused =
        found.whenComplete(
            (answer, failure) -> handOver(new Completion<>(told, answer, failure), patience));
    return told;
  }

  private void handOver(Completion<?> completion, Duration patience) {
    untold.add(completion);
    if (executor == ours || closed) {
      handToOurs(completion);
      return;
    }
    completion.ourTurnAt.set(nanoTime.getAsLong() + patience.toNanos());
    completion.handedOverBy = Thread.currentThread();
    try {
      executor.execute(completion);
    } catch (Throwable e) {
      if (!refused.getAndSet(true)) {
        log.warn(
            "the application's callback executor threw an exception, so Slotbloom's threads"
                + " complete the futures instead; check the executor's limits, and shut it down"
                + " only after Slotbloom",
            e);
      }
      handToOurs(completion);
    } finally {
      completion.handedOverBy = null;
    }
  }

  /**
   * Completes a future on a thread of this class. Completing twice does nothing, so it is safe if
   * the executor completes it as well.
   */
  private void handToOurs(Completion<?> completion) {
    completion.ours.set(true);
    try {
      ours.execute(completion::complete);
    } catch (Throwable e) {
      completion.ours.set(false);
      completion.ourTurnAt.set(nanoTime.getAsLong());
      log.debug("no thread could be started to complete a future; will retry", e);
    }
  }

  /** Completes the futures whose time is up. Call it often. Does not wait. */
  public void tick() {
    if (untold.isEmpty()) {
      return;
    }
    long now = nanoTime.getAsLong();
    for (Completion<?> completion : untold) {
      if (!completion.ours.get() && completion.ourTurnAt.get() - now <= 0) {
        handToOurs(completion);
      }
    }
  }

  /**
   * Completes the remaining futures, without waiting any longer for the executor of the
   * application.
   */
  @Override
  public void close() {
    closed = true;
    for (Completion<?> completion : untold) {
      if (!completion.ours.get()) {
        handToOurs(completion);
      }
    }
    ours.shutdown();
    // If there is no other thread, the thread that closes completes them.
    untold.stream().filter(completion -> !completion.ours.get()).forEach(Completion::complete);
  }

  /**
   * Makes the threads that complete futures if the application provides none. The common pool is no
   * substitute: with two processors, {@code CompletableFuture} starts a new thread for each
   * completion.
   */
  private static ExecutorService pool() {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Background.daemons("slotbloom-callback-"),
            // Refused only after close. An answer that comes at the last moment is still given.
            (completion, closed) -> completion.run());
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  /** The remaining work for one future. */
  private final class Completion<T> implements Runnable {

    private final CompletableFuture<T> told;
    private final @Nullable T answer;
    private final @Nullable Throwable failure;

    /** The time at which a thread of this class takes over, by the clock of the callbacks. */
    private final AtomicLong ourTurnAt = new AtomicLong();

    /** True if a thread of this class is about to complete the future. */
    private final AtomicBoolean ours = new AtomicBoolean();

    /** The thread that hands the completion over at this moment. */
    private volatile @Nullable Thread handedOverBy;

    Completion(CompletableFuture<T> told, @Nullable T answer, @Nullable Throwable failure) {
      this.told = told;
      this.answer = answer;
      this.failure = failure;
    }

    @Override
    public void run() {
      if (Thread.currentThread() == handedOverBy) {
        handToOurs(this);
      } else {
        complete();
      }
    }

    void complete() {
      untold.remove(this);
      if (failure == null) {
        told.complete(answer);
      } else {
        told.completeExceptionally(
            failure instanceof CompletionException ? failure : new CompletionException(failure));
      }
    }
  }
}
