package io.github.slotbloom.internal.background;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes the threads that complete futures if the application provides none. The common pool is no
 * substitute: with two processors, {@code CompletableFuture} starts a new thread for each
 * completion.
 */
final class CallbackPool {

  private static final int THREADS = 4;
  private static final long IDLE_SECONDS = 60;

  private CallbackPool() {}

  static ExecutorService create() {
    AtomicInteger number = new AtomicInteger();
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            work -> {
              Thread thread = new Thread(work, "slotbloom-callback-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            },
            // Refused only after close. An answer that comes at the last moment is still given.
            (completion, closed) -> completion.run());
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }
}
