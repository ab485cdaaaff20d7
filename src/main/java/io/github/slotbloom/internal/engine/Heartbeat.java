package io.github.slotbloom.internal.engine;

import io.github.slotbloom.error.SlotBloomException;
import io.github.slotbloom.internal.background.Background;
import io.github.slotbloom.internal.background.BackgroundTask;
import io.github.slotbloom.internal.context.ServerWatch;
import io.github.slotbloom.internal.failure.RecurringFailure;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.journal.Pulse;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import io.github.slotbloom.internal.time.Moment;
import io.github.slotbloom.internal.time.TimeSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the database at intervals, in one statement, about the progress of all open filters. */
final class Heartbeat {

  private static final Logger log = LoggerFactory.getLogger(Heartbeat.class);

  private final Database database;
  private final ServerWatch server;
  private final TimeSource time;
  private final Set<FilterEngine> engines;
  private final BackgroundTask task;

  private final RecurringFailure failure;
  private volatile Moment asked;

  /**
   * @param engines the open filters; may change at any time
   */
  Heartbeat(
      Database database,
      ServerWatch server,
      TimeSource time,
      Background io,
      Set<FilterEngine> engines) {
    this.database = database;
    this.server = server;
    this.time = time;
    this.engines = engines;
    // Callers who need an answer ask for themselves, and learn of a failure.
    this.failure =
        new RecurringFailure(
            log,
            time,
            "the heartbeat failed",
            e -> e instanceof DatabaseFailure || e instanceof SlotBloomException);
    // If the task does not begin, the next tick comes soon.
    this.task = new BackgroundTask("the heartbeat of the filters", io, this::ask, e -> {});
    this.asked = time.now();
  }

  /**
   * Polls if it is time. Call it more often than any filter wants to be heard of. Does not wait for
   * the database.
   */
  void tick() {
    List<FilterEngine> open = List.copyOf(engines);
    open.forEach(this::tick);
    long interval = open.stream().mapToLong(FilterEngine::pulseNanos).min().orElse(Long.MAX_VALUE);
    if (time.nanosSince(asked) >= interval) {
      task.requestUnlessRunning();
    }
  }

  /** Runs the tick of one filter. Its failure must not affect the other filters. */
  private void tick(FilterEngine engine) {
    try {
      engine.onTick();
    } catch (RuntimeException | Error e) {
      log.error("the regular work of filter {} failed; will retry", engine.name(), e);
    }
  }

  private void ask() {
    List<FilterEngine> open = List.copyOf(engines);
    try {
      Moment begun = time.now();
      asked = begun;
      Map<Long, Pulse> pulses =
          database.read(
              tx -> Journal.pulses(tx, open.stream().map(FilterEngine::id).distinct().toList()));
      // This comes before anyone relies on the answers of another server.
      pulses.entrySet().stream()
          .findAny()
          .ifPresent(
              pulse -> {
                server.clock().hear(begun, pulse.getValue().clockMicros());
                server.onPulse(pulse.getValue().server(), pulse.getKey());
              });
      for (FilterEngine engine : open) {
        Pulse pulse = pulses.get(engine.id());
        if (pulse == null) {
          engine.onMissing();
        } else if (pulse.name().equals(engine.name().value())) {
          // A filter that was renamed is no longer heard of by its old name, so answers from
          // memory end with the lease.
          engine.onPulse(pulse, begun);
        }
      }
      failure.over();
    } catch (RuntimeException | Error e) {
      if (failure.isNews(e)) {
        log.error("the heartbeat failed; it continues", e);
      }
    }
  }
}
