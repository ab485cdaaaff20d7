package io.github.slotbloom.internal.engine;

import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.SlotBloomListener;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.internal.background.Background;
import io.github.slotbloom.internal.background.BackgroundTask;
import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.context.RetriedTransactions;
import io.github.slotbloom.internal.context.ServerWatch;
import io.github.slotbloom.internal.context.Waiting;
import io.github.slotbloom.internal.duty.GenerationMaker;
import io.github.slotbloom.internal.fold.Backlog;
import io.github.slotbloom.internal.fold.Folder;
import io.github.slotbloom.internal.membership.DirectKeys;
import io.github.slotbloom.internal.membership.SourceLookup;
import io.github.slotbloom.internal.mirror.QuietMirrors;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.internal.store.session.ServerSettings;
import io.github.slotbloom.internal.store.session.Servers;
import io.github.slotbloom.internal.time.Deadline;
import io.github.slotbloom.internal.time.TimeSource;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
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

  private final ProcessParts parts;
  private final GenerationMaker generations;
  private final ExecutorService threads;
  private final ScheduledExecutorService timer;
  private final Set<FilterEngine> engines = ConcurrentHashMap.newKeySet();
  private final SharedEngines shared = new SharedEngines();

  /** Waits for servers that may be down, so nothing waits for it. */
  private final ExecutorService secondariesThread =
      Executors.newSingleThreadExecutor(Background.daemons("slotbloom-secondaries-"));

  private final BackgroundTask secondaries;
  private final Set<Runnable> others = ConcurrentHashMap.newKeySet();
  private final Future<?> ticks;
  private volatile Rebuilder rebuilder = (filter, stopped) -> false;
  private volatile Consumer<FilterName> expired = name -> {};

  /**
   * Starts the heartbeat on the given threads.
   *
   * @param servers where the filters live
   * @param listener throws nothing
   * @param threads run all work that waits for the database; shut down by {@link #close()}
   * @param timer tells when work is due; shut down by {@link #close()}
   * @throws FilterUnavailableException if no thread could be started
   */
  public FilterEngines(
      Servers servers,
      ServerSettings settings,
      TimeSource time,
      SlotBloomListener listener,
      GenerationMaker generations,
      ExecutorService threads,
      ScheduledExecutorService timer) {
    this.threads = threads;
    this.timer = timer;
    Database database = servers.primary();
    Background io = new Background(threads, timer);
    this.parts =
        new ProcessParts(
            servers,
            new QuietMirrors(servers, io, time),
            new ServerWatch(database, settings, time, listener),
            time,
            listener,
            io);
    this.secondaries =
        new BackgroundTask(
            "querying secondaries",
            new Background(secondariesThread, timer),
            servers::trySecondariesAgain,
            e -> {});
    this.generations = generations;
    ticks = startTicking(new Heartbeat(database, parts.server(), time, parts.io(), engines));
  }

  private Future<?> startTicking(Heartbeat heartbeat) {
    try {
      return timer.scheduleWithFixedDelay(
          () -> tick(heartbeat), TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
    } catch (Throwable e) {
      timer.shutdownNow();
      throw new FilterUnavailableException(
          "No filter can be used because the maintenance thread could not be started ("
              + e
              + "). Raise the thread limit of this process or its container, or start fewer"
              + " threads.",
          e);
    }
  }

  /** Sets who rebuilds filters that are opened from now on. */
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
    return parts.io();
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
    if (parts.servers().mayTrySecondariesAgain()) {
      secondaries.requestUnlessRunning();
    }
  }

  private static void tickSafely(Runnable tick) {
    Background.unfailing(
            tick,
            e -> log.error("a recurring task failed; it will run again with the next tick", e))
        .run();
  }

  /** Returns as many threads as there is work for. */
  public static ExecutorService threads() {
    return Executors.newCachedThreadPool(Background.daemons("slotbloom-io-"));
  }

  /** Returns the one thread that tells when work is due. */
  public static ScheduledExecutorService timer() {
    return Executors.newSingleThreadScheduledExecutor(Background.daemons("slotbloom-timer-"));
  }

  /** Returns what runs the transactions of long work on a filter that need not be open here. */
  public RetriedTransactions transactions(FilterRecord filter) {
    return new RetriedTransactions(filter.name(), parts.database(), parts.io(), parts.time());
  }

  /**
   * Returns what folds a filter that need not be open here. If it is, this is what folds it in the
   * background: two of them would wait for each other after each part of a batch.
   */
  public Folder folder(FilterRecord filter) {
    return engines.stream()
        .filter(engine -> engine.isOf(filter))
        .findAny()
        .map(FilterEngine::folder)
        .orElseGet(
            () ->
                new Folder(
                    new FollowedFilter(filter),
                    new Backlog(Long.MAX_VALUE),
                    parts.database(),
                    parts.io(),
                    parts.time()));
  }

  /** Returns what looks up keys in the tables of a filter that need not be open here. */
  public DirectKeys tables(FilterRecord filter) {
    return new DirectKeys(
        new FollowedFilter(filter), parts.servers(), parts.io(), parts.server().clock());
  }

  /** Returns what looks up many keys in a filter that need not be open here. */
  public SourceLookup sourceLookup(FilterRecord filter) {
    return new SourceLookup(filter, parts.mirror(filter, () -> {}), tables(filter), parts.time());
  }

  /** Waits until no process answers from what it knew of a filter before this call. */
  public void awaitLease(FilterRecord filter) {
    new Waiting(filter.name()).until(Deadline.in(parts.time(), filter.lease()));
  }

  /**
   * Opens a filter, and loads its mirror if it is to have one. Whoever opens it again with equal
   * options gets the same engine.
   */
  public FilterEngine open(FilterRecord filter, FilterOptions options) {
    return shared.open(filter, options, () -> load(filter, options));
  }

  private FilterEngine load(FilterRecord filter, FilterOptions options) {
    FilterEngine engine = new FilterEngine(filter, options, parts, generations, rebuilder, expired);
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
        log.warn("background work did not end within {} s", CLOSE_SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
