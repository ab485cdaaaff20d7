package io.github.slotbloom.internal.engine;

import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.SlotBloomListener;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.internal.background.Background;
import io.github.slotbloom.internal.background.BackgroundTask;
import io.github.slotbloom.internal.context.FilterContext;
import io.github.slotbloom.internal.context.ServerWatch;
import io.github.slotbloom.internal.duty.Grower;
import io.github.slotbloom.internal.duty.Rotator;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.internal.store.session.ServerSettings;
import io.github.slotbloom.internal.store.session.Servers;
import io.github.slotbloom.internal.time.TimeSource;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the filters that one process has open in one database, and the threads that work for them.
 * Thread-safe.
 */
public final class FilterEngines implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(FilterEngines.class);
  private static final long TICK_MILLIS = 20;
  private static final long CLOSE_SECONDS = 30;

  private final Servers servers;
  private final ServerWatch server;
  private final TimeSource time;
  private final SlotBloomListener listener;
  private final Grower grower;
  private final ExecutorService threads;
  private final ScheduledExecutorService timer;
  private final Set<FilterEngine> engines = ConcurrentHashMap.newKeySet();
  private final SharedEngines shared = new SharedEngines();
  private final Background io;

  /** Waits for servers that may be down, so nothing waits for it. */
  private final ExecutorService secondariesThread =
      Executors.newSingleThreadExecutor(daemons("slotbloom-secondaries-"));

  private final BackgroundTask secondaries;
  private final Set<Runnable> others = ConcurrentHashMap.newKeySet();
  private final Future<?> ticks;
  private volatile Rebuilder rebuilder = (filter, stopped) -> false;
  private volatile Rotator rotator = new NoRotator();
  private volatile Consumer<FilterName> expired = name -> {};

  /**
   * Starts the heartbeat.
   *
   * @param servers where the filters live
   * @param listener throws nothing
   * @throws FilterUnavailableException if no thread could be started
   */
  public FilterEngines(
      Servers servers,
      ServerSettings settings,
      TimeSource time,
      SlotBloomListener listener,
      Grower grower) {
    this(servers, settings, time, listener, grower, threads());
  }

  /**
   * Starts the heartbeat on the given threads.
   *
   * @param threads run all work that waits for the database; shut down by {@link #close()}
   */
  FilterEngines(
      Servers servers,
      ServerSettings settings,
      TimeSource time,
      SlotBloomListener listener,
      Grower grower,
      ExecutorService threads) {
    this(servers, settings, time, listener, grower, threads, timer());
  }

  /**
   * Starts the heartbeat on the given threads.
   *
   * @param threads run all work that waits for the database; shut down by {@link #close()}
   * @param timer tells when work is due; shut down by {@link #close()}
   */
  public FilterEngines(
      Servers servers,
      ServerSettings settings,
      TimeSource time,
      SlotBloomListener listener,
      Grower grower,
      ExecutorService threads,
      ScheduledExecutorService timer) {
    Database database = servers.primary();
    this.threads = threads;
    this.timer = timer;
    this.io = new Background(threads, timer);
    this.servers = servers;
    this.secondaries =
        new BackgroundTask(
            "asking secondaries",
            new Background(secondariesThread, timer),
            servers::trySecondariesAgain,
            e -> {});
    this.time = time;
    this.listener = listener;
    this.grower = grower;
    this.server = new ServerWatch(database, settings, time, listener);
    Heartbeat heartbeat = new Heartbeat(database, server, time, io, engines);
    ticks = startTicking(heartbeat);
  }

  private Future<?> startTicking(Heartbeat heartbeat) {
    try {
      return timer.scheduleWithFixedDelay(
          () -> tick(heartbeat), TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
    } catch (Throwable e) {
      timer.shutdownNow();
      throw new FilterUnavailableException(
          "No filter can be used: the thread that looks after them could not be started ("
              + e
              + "). Raise the limit on threads of this process or its container, or start fewer"
              + " threads.",
          e);
    }
  }

  /** Sets who begins the buckets of windows that are opened from now on. */
  public void rotateBy(Rotator who) {
    rotator = who;
  }

  /** Sets who builds filters anew that are opened from now on. */
  public void rebuildBy(Rebuilder who) {
    rebuilder = who;
  }

  /**
   * Sets who is told of each filter that expired, of those that are opened from now on.
   *
   * @param who must not wait
   */
  public void tellOfExpired(Consumer<FilterName> who) {
    expired = who;
  }

  /** Returns the threads for work that waits for the database. */
  public Background io() {
    return io;
  }

  /** Runs a brief action with each tick, until this object is closed. */
  public void onEachTick(Runnable brief) {
    others.add(brief);
  }

  /** Runs an action with no further tick. */
  public void onNoMoreTicks(Runnable brief) {
    others.remove(brief);
  }

  private void tick(Heartbeat heartbeat) {
    tickSafely(heartbeat::tick);
    tickSafely(this::trySecondariesAgain);
    others.forEach(FilterEngines::tickSafely);
  }

  private void trySecondariesAgain() {
    if (servers.mayTrySecondariesAgain()) {
      secondaries.requestUnlessRunning();
    }
  }

  private static void tickSafely(Runnable tick) {
    Background.unfailing(
            tick, e -> log.error("a recurring task failed; it runs again with the next tick", e))
        .run();
  }

  /** Until there is one that makes tables, no bucket begins. */
  private static final class NoRotator implements Rotator {
    @Override
    public void rotate(FilterRecord filter) {
      throw new IllegalStateException("nobody makes the tables of filter " + filter.name());
    }

    @Override
    public long prepare(FilterRecord filter) {
      return filter.head().generationToken();
    }
  }

  /** Returns as many threads as there is work for. */
  public static ExecutorService threads() {
    return Executors.newCachedThreadPool(daemons("slotbloom-io-"));
  }

  /** Returns the one thread that tells when work is due. */
  public static ScheduledExecutorService timer() {
    return Executors.newSingleThreadScheduledExecutor(daemons("slotbloom-timer-"));
  }

  private static ThreadFactory daemons(String prefix) {
    AtomicInteger number = new AtomicInteger();
    return work -> {
      Thread thread = new Thread(work, prefix + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  /** Returns the context for work on a filter, no matter if the filter is open here. */
  public FilterContext context(FilterRecord filter) {
    return new FilterContext(filter, servers, server, time, listener, io);
  }

  /**
   * Opens a filter, and loads its mirror if it is to have one. Whoever opens it again with equal
   * options gets the same engine.
   */
  public FilterEngine open(FilterRecord filter, FilterOptions options) {
    return shared.open(filter, options, () -> load(filter, options));
  }

  private FilterEngine load(FilterRecord filter, FilterOptions options) {
    FilterEngine engine =
        new FilterEngine(context(filter), options, grower, rebuilder, rotator, expired);
    engine.load();
    engines.add(engine);
    return engine;
  }

  /** Takes back one opening of a filter. The last one closes it. Returns true if this was it. */
  public boolean close(FilterEngine engine) {
    boolean last = shared.close(engine);
    if (last) {
      engine.close();
      engines.remove(engine);
    }
    return last;
  }

  /**
   * Closes all filters, one after the other, and waits for the background work, so that nothing is
   * cut off.
   */
  @Override
  public void close() {
    engines.forEach(FilterEngine::close);
    engines.clear();
    ticks.cancel(false);
    timer.shutdown();
    secondariesThread.shutdownNow();
    threads.shutdown();
    try {
      if (!threads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        log.warn("work in the background did not end within {} s", CLOSE_SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
