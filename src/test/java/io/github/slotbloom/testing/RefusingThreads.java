package io.github.slotbloom.testing;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A thread pool that refuses tasks when a test asks for it. Thread-safe. */
public final class RefusingThreads extends ThreadPoolExecutor implements AutoCloseable {

  /** The ways to refuse a task. */
  public enum Reason {
    /** Rejects the task, as an executor does after its shutdown. */
    REJECTS {
      @Override
      public void fail() {
        throw new RejectedExecutionException("refused by the test");
      }
    },
    /** Throws an error, as an executor does when the operating system starts no thread for it. */
    THROWS_AN_ERROR {
      @Override
      public void fail() {
        throw new OutOfMemoryError("unable to create native thread: by the test");
      }
    },
    THROWS {
      @Override
      public void fail() {
        throw new IllegalStateException("broken by the test");
      }
    };

    public abstract void fail();
  }

  private static final String NAME = "refusing";

  private final AtomicInteger handOvers = new AtomicInteger();
  private final AtomicInteger refused = new AtomicInteger();
  private volatile Reason reason = Reason.REJECTS;
  private volatile int each;
  private volatile int only = -1;
  private volatile boolean all;
  private volatile boolean own;

  public RefusingThreads() {
    super(
        0,
        Integer.MAX_VALUE,
        60,
        TimeUnit.SECONDS,
        new SynchronousQueue<>(),
        work -> {
          Thread thread = new Thread(work, NAME);
          thread.setDaemon(true);
          return thread;
        });
  }

  /** Refuses every n-th task from now on. */
  public void refuseEvery(int n, Reason why) {
    reason = why;
    each = n;
  }

  /** Refuses only the n-th task from now on. */
  public void refuseOnly(int n, Reason why) {
    reason = why;
    only = handOvers.get() + n;
  }

  /** Refuses all tasks until {@link #refuseNone}. */
  public void refuseAll(Reason why) {
    reason = why;
    all = true;
  }

  /** Refuses tasks from the pool's own threads until {@link #refuseNone}. */
  public void refuseOwn(Reason why) {
    reason = why;
    own = true;
  }

  public void refuseNone() {
    all = false;
    own = false;
    each = 0;
    only = -1;
  }

  /** Returns how many tasks were refused. */
  public int refused() {
    return refused.get();
  }

  @Override
  public void execute(Runnable work) {
    int number = handOvers.incrementAndGet();
    boolean byOwn = own && Thread.currentThread().getName().equals(NAME);
    if (all || byOwn || number == only || (each > 0 && number % each == 0)) {
      refused.incrementAndGet();
      reason.fail();
    }
    super.execute(work);
  }

  @Override
  public void close() {
    shutdown();
  }
}
