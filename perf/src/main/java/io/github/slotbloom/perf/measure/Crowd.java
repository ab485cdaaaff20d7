package io.github.slotbloom.perf.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that repeat the same work for a while. */
public final class Crowd {

  /** The work that one thread repeats. */
  @FunctionalInterface
  public interface Work {
    void once() throws Exception;
  }

  /** Prepares the work of one thread, on that thread. */
  @FunctionalInterface
  public interface Preparation {
    Work of(int thread) throws Exception;
  }

  private final int threads;
  private volatile boolean over;

  private Crowd(int threads) {
    this.threads = threads;
  }

  /** {@return how often per second all threads together did their work} */
  public static double rate(int threads, Duration time, Preparation preparation)
      throws InterruptedException, ExecutionException {
    return new Crowd(threads).run(time, preparation);
  }

  private double run(Duration time, Preparation preparation)
      throws InterruptedException, ExecutionException {
    CountDownLatch ready = new CountDownLatch(threads);
    CountDownLatch start = new CountDownLatch(1);
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<Long>> counts = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        counts.add(pool.submit(member(preparation, thread, ready, start)));
      }
      ready.await();
      long begun = System.nanoTime();
      start.countDown();
      Thread.sleep(time.toMillis());
      over = true;
      long done = 0;
      for (Future<Long> count : counts) {
        done += count.get();
      }
      return done * 1e9 / (System.nanoTime() - begun);
    } finally {
      over = true;
      start.countDown();
      pool.shutdown();
    }
  }

  private Callable<Long> member(
      Preparation preparation, int thread, CountDownLatch ready, CountDownLatch start) {
    return () -> {
      Work work;
      try {
        work = preparation.of(thread);
      } finally {
        ready.countDown();
      }
      start.await();
      long done = 0;
      while (!over) {
        work.once();
        done++;
      }
      return done;
    };
  }
}
