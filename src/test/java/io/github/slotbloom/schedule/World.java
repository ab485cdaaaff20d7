package io.github.slotbloom.schedule;

import io.github.slotbloom.internal.time.TimeSource;
import java.lang.management.ManagementFactory;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ForkJoinPool.ManagedBlocker;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The threads of all processes of one run, of which one at a time is let go, and the time. Threads
 * that it does not know pass everywhere.
 */
final class World implements TimeSource {

  /** Tells a thread that its process was killed. */
  static final class Killed extends Error {
    private static final long serialVersionUID = 1L;

    Killed() {
      super("killed by the schedule", null, false, false);
    }
  }

  /** What a thread stops in front of. */
  enum Stop {
    CALL,
    TASK,
    STATEMENT,
    COMMIT,
    /** The answer to a statement that waited for a lock. */
    ANSWER,
    REST,
    LATE_ANSWER,
    LATE_ARRIVAL
  }

  /** What becomes of what a thread sends, and of the answer. */
  enum Answer {
    IN_TIME,
    /** It comes when nothing else can happen. */
    LATE,
    LOST,
    /** The connection breaks, and the server gets what was sent when nothing else can happen. */
    ARRIVES_LATE
  }

  /** One thread of a process. */
  static final class Actor {
    final int process;
    final int number;
    private final Thread thread;
    private @Nullable Stop stop;
    private String what = "";
    private long since;
    private boolean atServer;
    private boolean waited;
    private long session;
    private boolean over;
    private Answer answer = Answer.IN_TIME;

    Actor(int process, int number, Runnable work) {
      this.process = process;
      this.number = number;
      thread = new Thread(work, "process-" + process + "-" + number);
      thread.setDaemon(true);
    }

    Stop stop() {
      return java.util.Objects.requireNonNull(stop);
    }

    /** How many stops there were before this one. */
    long since() {
      return since;
    }

    String what() {
      return what;
    }

    @Override
    public String toString() {
      return "process " + process + ", thread " + number;
    }
  }

  /** Asks the server which sessions wait for a lock. */
  interface LockWaiters {
    Set<Long> sessions() throws SQLException;
  }

  /** Those that all wait for each other for so long do so for good. */
  private static final long DEADLOCK_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** A rest moves the time by this much, whatever was requested: that may be a random time. */
  private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long STEP_NANOS = 1_000;

  /** Longer than any lease or timeout. */
  static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** Far beyond what any step takes. */
  private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static final long LOOK_NANOS = 50_000;

  /** A statement that takes longer than this may wait for a lock. */
  private static final long BRIEF_NANOS = 3_000_000;

  private final LockWaiters waiters;
  private final List<Actor> actors = new ArrayList<>();
  private final boolean[] killed;
  private final int[] threads;
  private final ThreadLocal<@Nullable Actor> current = new ThreadLocal<>();
  private final AtomicLong nanos = new AtomicLong(TimeUnit.DAYS.toNanos(1));

  /** A run begins long after whatever made its filter. */
  private static final long WALL_MILLIS = System.currentTimeMillis() + TimeUnit.DAYS.toMillis(1);

  private final Thread scheduler = Thread.currentThread();
  private boolean free = true;
  private int freeThreads;
  private long stops;

  World(int processes, LockWaiters waiters) {
    this.waiters = waiters;
    killed = new boolean[processes];
    threads = new int[processes];
  }

  @Override
  public long nanoTime() {
    return nanos.get();
  }

  @Override
  public long wallMillis() {
    return WALL_MILLIS + TimeUnit.NANOSECONDS.toMillis(nanos.get());
  }

  /** Returns the wall clock at the begin of the run. */
  Instant beginning() {
    return Instant.ofEpochMilli(WALL_MILLIS + TimeUnit.DAYS.toMillis(1));
  }

  /** Converts a moment of the monotonic clock to microseconds of the wall clock. */
  static long wallMicros(long nanos) {
    return TimeUnit.MILLISECONDS.toMicros(WALL_MILLIS) + TimeUnit.NANOSECONDS.toMicros(nanos);
  }

  void advance(long by) {
    nanos.addAndGet(by);
  }

  @Override
  public void rest(Object blocker, long forNanos) {
    if (current.get() == null) {
      LockSupport.parkNanos(blocker, Math.min(forNanos, LOOK_NANOS));
    } else {
      stop(Stop.REST, "rests");
    }
    advance(REST_NANOS);
  }

  /** What is not there yet would come by chance. */
  @Override
  public long linger(Condition signal, long forNanos) {
    return 0;
  }

  /** Begins a thread, which stops at once. */
  synchronized void begin(int process, Stop stop, String what, Runnable work) {
    if (killed[process]) {
      return;
    }
    if (free) {
      beginFree(work);
      return;
    }
    Actor[] self = new Actor[1];
    self[0] =
        new Actor(
            process,
            threads[process]++,
            () -> {
              current.set(self[0]);
              try {
                park(self[0]);
                work.run();
              } catch (Killed e) {
                // Its process ended.
              } finally {
                over(self[0]);
              }
            });
    self[0].stop = stop;
    self[0].what = what;
    actors.add(self[0]);
    self[0].thread.start();
  }

  private void beginFree(Runnable work) {
    freeThreads++;
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } finally {
                freeThreadEnded();
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  private synchronized void freeThreadEnded() {
    freeThreads--;
    notifyAll();
  }

  private synchronized void over(Actor actor) {
    actor.over = true;
    LockSupport.unpark(scheduler);
  }

  /**
   * Stops the calling thread until the schedule lets it go.
   *
   * @return what becomes of the answer to what it does
   */
  Answer stop(Stop stop, String what) {
    Actor actor = current.get();
    if (actor == null) {
      return Answer.IN_TIME;
    }
    synchronized (this) {
      actor.stop = stop;
      actor.what = what;
      actor.since = stops++;
    }
    return park(actor);
  }

  private synchronized Answer park(Actor actor) {
    LockSupport.unpark(scheduler);
    while (actor.stop != null && !killed[actor.process]) {
      try {
        wait();
      } catch (InterruptedException e) {
        throw new Killed();
      }
    }
    if (killed[actor.process]) {
      throw new Killed();
    }
    Answer answer = actor.answer;
    actor.answer = Answer.IN_TIME;
    return answer;
  }

  synchronized void sent(long session) {
    Actor actor = current.get();
    if (actor != null) {
      actor.atServer = true;
      actor.session = session;
    }
  }

  /** Takes in that the server answered. Where a lock was waited for, that is a stop of its own. */
  void answered() {
    Actor actor = current.get();
    if (actor == null) {
      return;
    }
    boolean waited;
    synchronized (this) {
      actor.atServer = false;
      waited = actor.waited;
      actor.waited = false;
      LockSupport.unpark(scheduler);
      if (waited) {
        actor.stop = Stop.ANSWER;
      }
    }
    if (waited) {
      park(actor);
    }
  }

  synchronized boolean isKilled(int process) {
    return killed[process];
  }

  /** Returns true if the process of the calling thread was killed, so that nobody hears of it. */
  synchronized boolean isOfKilled() {
    Actor actor = current.get();
    return actor != null && killed[actor.process];
  }

  /** Lets one thread go on. */
  synchronized void release(Actor actor, Answer answer) {
    advance(STEP_NANOS);
    actor.answer = answer;
    actor.stop = null;
    notifyAll();
  }

  /** Ends the threads of a process. */
  synchronized void kill(int process) {
    advance(STEP_NANOS);
    killed[process] = true;
    actors.stream().filter(a -> a.process == process).forEach(a -> a.thread.interrupt());
    notifyAll();
  }

  /** From here on each thread stops that begins. */
  synchronized void schedule() throws InterruptedException {
    awaitFreeThreads();
    free = false;
  }

  /** Waits until each thread has ended that began while none was stopped. */
  synchronized void awaitFreeThreads() throws InterruptedException {
    while (freeThreads > 0) {
      wait();
    }
  }

  /** No thread stops from here on. */
  synchronized void free() {
    free = true;
  }

  /** Returns the threads that stopped, once nothing moves any more. */
  List<Actor> quiet() throws SQLException {
    long begun = System.nanoTime();
    while (true) {
      long now = System.nanoTime();
      boolean allStopped;
      boolean mayWait;
      synchronized (this) {
        boolean still = nothingRuns();
        mayWait = still && !atServer().isEmpty();
        allStopped = still && !mayWait;
      }
      if (allStopped || (mayWait && allWait(now - begun))) {
        List<Actor> stopped = stopped();
        // The server may be about to end a deadlock, or to let go of what it holds for itself.
        if (!stopped.isEmpty() || isOver() || now - begun > DEADLOCK_NANOS) {
          return stopped;
        }
      }
      if (now - begun > STUCK_NANOS) {
        throw new AssertionError("It goes on and on:\n" + describe());
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  private boolean allWait(long nanosSince) throws SQLException {
    List<Actor> asked = atServer();
    if (nanosSince < BRIEF_NANOS && asked.stream().anyMatch(a -> !a.waited)) {
      return false;
    }
    Set<Long> waiting = waiters.sessions();
    synchronized (this) {
      // What ended meanwhile may have let go of the lock after the server was asked.
      if (!nothingRuns()
          || !atServer().equals(asked)
          || !asked.stream().allMatch(a -> waiting.contains(a.session))) {
        return false;
      }
      atServer().forEach(a -> a.waited = true);
      return true;
    }
  }

  private synchronized List<Actor> atServer() {
    return living().stream().filter(a -> a.atServer).toList();
  }

  private synchronized List<Actor> stopped() {
    return living().stream().filter(a -> a.stop != null).toList();
  }

  private synchronized List<Actor> living() {
    return actors.stream().filter(a -> !a.over && !killed[a.process]).toList();
  }

  private synchronized boolean nothingRuns() {
    return living().stream().allMatch(a -> a.stop != null || a.atServer || waitsForAnother(a));
  }

  private boolean waitsForAnother(Actor actor) {
    Thread.State state = actor.thread.getState();
    if (state == Thread.State.BLOCKED) {
      var info = ManagementFactory.getThreadMXBean().getThreadInfo(actor.thread.getId());
      return info != null
          && actors.stream()
              .anyMatch(a -> a.stop != null && a.thread.getId() == info.getLockOwnerId());
    }
    // A thread that was told to go on may not have done so yet.
    return (state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING)
        && LockSupport.getBlocker(actor.thread) instanceof ManagedBlocker future
        && !future.isReleasable();
  }

  /** Returns true if all calls of the living processes are over. */
  synchronized boolean isOver() {
    return living().isEmpty();
  }

  synchronized String describe() {
    StringBuilder text = new StringBuilder();
    for (Actor actor : living()) {
      text.append(actor).append(' ').append(actor.stop).append(' ').append(actor.what);
      text.append(actor.atServer ? " at the server" : "").append('\n');
      Arrays.stream(actor.thread.getStackTrace())
          .limit(25)
          .forEach(frame -> text.append("    ").append(frame).append('\n'));
    }
    return text.toString();
  }
}
