package io.github.slotbloom.resp.filter;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Gathers the keys of commands that wait for the same, of one connection or of many: while one call
 * is under way, all that come meanwhile become the next one. So they share its transaction, or its
 * read of the journal. Commands of one lane are carried out in the order in which they came.
 * Thread-safe, and never waits.
 */
public final class Lanes implements AutoCloseable {

  private static final int MOST_KEYS = BloomFilter.MAX_KEYS_PER_TRANSACTION;

  private final OpenFilters open;
  private final ThreadPoolExecutor workers;
  private final ConcurrentMap<Lane, Queue<Waiting>> lanes = new ConcurrentHashMap<>();

  /**
   * Creates empty lanes.
   *
   * @param bloom throws what commands are answered while there is no database
   * @param options settings of the filters that are opened
   * @param workers make the calls, one for each lane at a time; whoever gives them ends them
   * @param nanoTime tells for how long a filter was not used
   */
  public Lanes(
      Supplier<SlotBloom> bloom,
      FilterOptions options,
      ThreadPoolExecutor workers,
      LongSupplier nanoTime) {
    this.open = new OpenFilters(bloom, options, nanoTime);
    this.workers = workers;
  }

  /**
   * Does with keys what the lane says.
   *
   * @param keys in order; not to be changed
   * @param make the parameters of the filter if it is missing; null if it must not be created
   * @return fails with the exceptions of the library; with {@link
   *     io.github.slotbloom.error.FilterNotFoundException} if the filter is missing and keys are to
   *     be added or removed, and with {@link WrongTypeException} if it is of the other family.
   *     Lookups about such filters are answered no
   */
  public CompletableFuture<Answers> submit(
      Lane lane, List<byte[]> keys, @Nullable Supplier<FilterSpec<byte[]>> make) {
    Waiting waiting = new Waiting(keys, make, new CompletableFuture<>());
    lanes.compute(
        lane,
        (same, queue) -> {
          Queue<Waiting> there = queue;
          if (there == null) {
            there = new ArrayDeque<>();
            workers.execute(() -> work(lane));
          }
          there.add(waiting);
          return there;
        });
    return waiting.answers();
  }

  private void work(Lane lane) {
    LaneWork work = new LaneWork(open, lane);
    for (List<Waiting> batch = take(lane); !batch.isEmpty(); batch = take(lane)) {
      work.run(batch);
      if (!workers.getQueue().isEmpty() && !workers.isShutdown()) {
        // Other lanes have their turn.
        workers.execute(() -> work(lane));
        return;
      }
    }
  }

  /** Takes what waits. Gives the lane up if nothing does. */
  private List<Waiting> take(Lane lane) {
    List<Waiting> batch = new ArrayList<>();
    lanes.computeIfPresent(
        lane,
        (same, queue) -> {
          int keys = 0;
          while (!queue.isEmpty()
              && (batch.isEmpty() || keys + queue.element().keys().size() <= MOST_KEYS)) {
            keys += queue.element().keys().size();
            batch.add(queue.remove());
          }
          return batch.isEmpty() ? null : queue;
        });
    return batch;
  }

  /** Closes a filter that was dropped, renamed or expired. It is reopened when it is named. */
  public void forget(String name) {
    open.forget(name);
  }

  /** Closes filters that nobody used for ten minutes. They are reopened when they are named. */
  public void closeIdle() {
    open.closeIdle();
  }

  /** Returns how many filters are open. */
  public int openFilters() {
    return open.size();
  }

  /** Closes all filters. Nothing may be submitted anymore. */
  @Override
  public void close() {
    open.close();
  }
}
