package io.github.slotbloom.schedule;

import io.github.slotbloom.schedule.World.Stop;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * The background of one process: work gets a thread that stops at once, and what is to be done at
 * some time is done when the program says that it is.
 */
final class Background extends AbstractExecutorService implements ScheduledExecutorService {

  private final World world;
  private final int process;
  private final Queue<CompletableFuture<Void>> begun = new ConcurrentLinkedQueue<>();
  private final List<Due> due = new ArrayList<>();
  private Runnable tick = () -> {};
  private boolean shutdown;

  Background(World world, int process) {
    this.world = world;
    this.process = process;
  }

  private final class Due extends FutureTask<Void> implements ScheduledFuture<Void> {
    private final long at;

    Due(Runnable work, long at) {
      super(work, null);
      this.at = at;
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(at - world.nanoTime(), TimeUnit.NANOSECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
    }
  }

  @Override
  public void execute(Runnable work) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    begun.add(done);
    world.begin(
        process,
        Stop.TASK,
        "begins work in the background",
        () -> {
          try {
            work.run();
          } finally {
            begun.remove(done);
            done.complete(null);
          }
        });
  }

  /** Waits until all work is done that was begun. */
  void await() {
    CompletableFuture<Void> next = begun.peek();
    while (next != null) {
      try {
        next.get();
      } catch (InterruptedException | ExecutionException e) {
        throw new World.Killed();
      }
      next = begun.peek();
    }
  }

  /** Does what is due, and what recurs. */
  void tick() {
    List<Due> now;
    synchronized (this) {
      now = due.stream().filter(one -> one.at <= world.nanoTime()).toList();
      due.removeAll(now);
    }
    now.forEach(Due::run);
    tick.run();
  }

  @Override
  public synchronized ScheduledFuture<?> schedule(Runnable work, long delay, TimeUnit unit) {
    Due one = new Due(work, world.nanoTime() + unit.toNanos(delay));
    due.add(one);
    return one;
  }

  @Override
  public synchronized ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable work, long first, long delay, TimeUnit unit) {
    tick = work;
    return new Due(work, world.nanoTime());
  }

  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> work, long delay, TimeUnit unit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(
      Runnable work, long first, long period, TimeUnit unit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void shutdown() {
    shutdown = true;
  }

  @Override
  public List<Runnable> shutdownNow() {
    shutdown = true;
    return List.of();
  }

  @Override
  public boolean isShutdown() {
    return shutdown;
  }

  @Override
  public boolean isTerminated() {
    return shutdown;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return true;
  }
}
