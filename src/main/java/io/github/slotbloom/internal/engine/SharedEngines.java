package io.github.slotbloom.internal.engine;

import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.internal.failure.Failures;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engines of one process, each shared by all who opened the same filter with equal options, and
 * open until the last of them closes. Thread-safe.
 */
final class SharedEngines {

  private static final Logger log = LoggerFactory.getLogger(SharedEngines.class);

  /** What must be equal for two openings to share an engine. */
  private record Opening(
      long id, FilterName name, Instant createdAt, List<Object> identity, FilterOptions options) {}

  private static final class Shared {
    final CompletableFuture<FilterEngine> engine = new CompletableFuture<>();
    int openings;
  }

  private final Map<Opening, Shared> shared = new HashMap<>();

  /**
   * Returns the engine for an opening. If another thread is making it, waits for that; if that
   * fails, makes it itself.
   *
   * @param make makes an engine with all that it needs loaded
   * @throws io.github.slotbloom.error.FilterUnavailableException if interrupted
   */
  FilterEngine open(FilterRecord filter, FilterOptions options, Supplier<FilterEngine> make) {
    Opening opening =
        new Opening(filter.id(), filter.name(), filter.createdAt(), filter.unchanged(), options);
    while (true) {
      Shared joined;
      boolean mine;
      synchronized (this) {
        joined = shared.computeIfAbsent(opening, first -> new Shared());
        mine = joined.openings++ == 0;
      }
      if (mine) {
        return make(opening, joined, make);
      }
      try {
        return joined.engine.get();
      } catch (ExecutionException e) {
        log.debug("another thread could not open filter {}", filter.name(), e);
      } catch (InterruptedException e) {
        leave(opening, joined);
        throw new Failures(filter.name()).interrupted(e);
      }
    }
  }

  private FilterEngine make(Opening opening, Shared mine, Supplier<FilterEngine> make) {
    try {
      FilterEngine engine = make.get();
      mine.engine.complete(engine);
      return engine;
    } catch (RuntimeException | Error e) {
      synchronized (this) {
        shared.remove(opening);
      }
      mine.engine.completeExceptionally(e);
      throw e;
    }
  }

  /** Takes back one opening of an engine. Returns true if it was the last. */
  synchronized boolean close(FilterEngine engine) {
    for (Map.Entry<Opening, Shared> each : shared.entrySet()) {
      if (each.getValue().engine.getNow(null) == engine) {
        return leave(each.getKey(), each.getValue());
      }
    }
    return false;
  }

  private synchronized boolean leave(Opening opening, Shared left) {
    boolean last = --left.openings == 0;
    if (last) {
      shared.remove(opening);
    }
    return last;
  }
}
