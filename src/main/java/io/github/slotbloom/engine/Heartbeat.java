package io.github.slotbloom.engine;

import io.github.slotbloom.error.SlotBloomException;
import io.github.slotbloom.mirror.Moment;
import io.github.slotbloom.mirror.TimeSource;
import io.github.slotbloom.store.Database;
import io.github.slotbloom.store.DatabaseFailure;
import io.github.slotbloom.store.Journal;
import io.github.slotbloom.store.Pulse;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the database now and then, in one statement, how far all open filters are. */
final class Heartbeat {

  private static final Logger log = LoggerFactory.getLogger(Heartbeat.class);

  private final Database database;
  private final Journal journal = new Journal();
  private final TimeSource time;
  private final Executor io;
  private final Set<FilterEngine> engines;
  private final AtomicBoolean asking = new AtomicBoolean();
  private volatile Moment asked;

  /**
   * @param engines the open filters; may change at any time
   */
  Heartbeat(Database database, TimeSource time, Executor io, Set<FilterEngine> engines) {
    this.database = database;
    this.time = time;
    this.io = io;
    this.engines = engines;
    this.asked = time.now();
  }

  /**
   * To be called more often than any filter wants to be heard of. Does not wait for the database.
   */
  void tick() {
    List<FilterEngine> open = List.copyOf(engines);
    open.forEach(FilterEngine::onTick);
    long interval = open.stream().mapToLong(FilterEngine::pulseNanos).min().orElse(Long.MAX_VALUE);
    if (time.nanosSince(asked) >= interval && asking.compareAndSet(false, true)) {
      try {
        io.execute(() -> ask(open));
      } catch (RejectedExecutionException e) {
        // Closed since this tick began.
        asking.set(false);
      }
    }
  }

  private void ask(List<FilterEngine> open) {
    try {
      Moment begun = time.now();
      asked = begun;
      Map<Long, Pulse> pulses =
          database.read(
              tx -> journal.pulses(tx, open.stream().map(FilterEngine::id).distinct().toList()));
      for (FilterEngine engine : open) {
        Pulse pulse = pulses.get(engine.id());
        if (pulse != null) {
          engine.onPulse(pulse, begun);
        }
      }
    } catch (DatabaseFailure e) {
      // Whoever needs the answer asks for itself, and hears of the failure.
      log.debug("the heartbeat did not reach the database", e);
    } catch (SlotBloomException e) {
      log.debug("the heartbeat met a filter that cannot be used", e);
    } finally {
      asking.set(false);
    }
  }
}
