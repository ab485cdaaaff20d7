package io.github.slotbloom.internal.engine;

import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.internal.failure.Failures;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import java.time.Instant;
import java.util.HashMap;
import java.util.Iterator;
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

  /** The properties that two openings must have in common to share an engine. */
  private record Opening(
      long id, FilterName name, Instant createdAt, List<Object> identity, FilterOptions options) {}

  private static final class Shared {
    final CompletableFuture<FilterEngine> engine = new CompletableFuture<>();
    int openings = 1;
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
      Shared mine = new Shared();
      Shared others;
      synchronized (this) {
        others = shared.putIfAbsent(opening, mine);
      }
      if (others == null) {
        return make(opening, mine, make);
      }
      try {
        FilterEngine engine = others.engine.get();
        if (join(opening, others)) {
          return engine;
        }
      } catch (ExecutionException e) {
        log.debug("another thread could not open filter {}", filter.name(), e);
      } catch (InterruptedException e) {
        throw new Failures(filter.name()).interrupted(e);
      }
    }
  }

  /** Returns false if the last who had it open has closed it. */
  private synchronized boolean join(Opening opening, Shared others) {
    boolean open = shared.get(opening) == others;
    if (open) {
      others.openings++;
    }
    return open;
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
    Iterator<Shared> all = shared.values().iterator();
    while (all.hasNext()) {
      Shared its = all.next();
      if (its.engine.getNow(null) == engine) {
        boolean last = --its.openings == 0;
        if (last) {
          all.remove();
        }
        return last;
      }
    }
    return false;
  }
}
