package io.github.slotbloom.testing;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads that a test refuses at times. Thread-safe. */
public final class RefusingThreads extends ThreadPoolExecutor implements AutoCloseable {

  /** How a hand-over fails. */
  public enum Reason {
    /** As an executor that was shut down. */
    REJECTS {
      @Override
      public void fail() {
        throw new RejectedExecutionException("refused by the test");
      }
    },
    /** As an executor does for which the operating system starts no thread. */
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

  /** Refuses each n-th from now on. */
  public void refuseEvery(int n, Reason why) {
    reason = why;
    each = n;
  }

  /** Refuses the n-th from now on, and no other. */
  public void refuseOnly(int n, Reason why) {
    reason = why;
    only = handOvers.get() + n;
  }

  /** Refuses all until {@link #refuseNone}. */
  public void refuseAll(Reason why) {
    reason = why;
    all = true;
  }

  /** Refuses what its own threads hand over, until {@link #refuseNone}. */
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

  /** How many were refused. */
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
