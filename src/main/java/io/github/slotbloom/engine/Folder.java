package io.github.slotbloom.engine;

import io.github.slotbloom.core.Probe;
import io.github.slotbloom.error.CorruptFilterException;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.mirror.FilterNotReady;
import io.github.slotbloom.store.FilterHead;
import io.github.slotbloom.store.FoldState;
import io.github.slotbloom.store.GenerationRecord;
import io.github.slotbloom.store.JournalChain;
import io.github.slotbloom.store.JournalEntry;
import io.github.slotbloom.store.SlotMasks;
import io.github.slotbloom.store.SlotRows;
import io.github.slotbloom.store.Tx;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what the journal holds into the slots, each entry exactly once. Any process may fold; the
 * row of the filter in {@code bloom_fold} lets one at a time.
 *
 * <p>Merging pays: the more entries one transaction takes, the more of their bits fall into the
 * same rows. So the folder waits a moment after the first entry, and after a long transaction four
 * times as long as that took.
 */
public final class Folder {

  private static final Logger log = LoggerFactory.getLogger(Folder.class);

  private static final int MOST_SLOTS_PER_TRANSACTION = 250_000;
  private static final int MOST_KEYS_PER_TRANSACTION = 2_000_000;
  private static final long SHORTEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final FilterContext context;
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private final RecurringFailure failure = new RecurringFailure();
  private volatile long pauseNanos = SHORTEST_PAUSE_NANOS;

  Folder(FilterContext context) {
    this.context = context;
  }

  /** Folds soon, in the background. */
  void nudge() {
    if (scheduled.compareAndSet(false, true)) {
      CompletableFuture.delayedExecutor(pauseNanos, TimeUnit.NANOSECONDS, context.io())
          .execute(this::foldInBackground);
    }
  }

  private void foldInBackground() {
    scheduled.set(false);
    long begun = context.time().nanoTime();
    try {
      OptionalLong folded = step();
      long took = context.time().nanoTime() - begun;
      pauseNanos = Math.min(LONGEST_PAUSE_NANOS, Math.max(SHORTEST_PAUSE_NANOS, 4 * took));
      if (folded.isPresent()) {
        failure.over();
        nudge();
      } else {
        failure.databaseAnswered();
      }
    } catch (RuntimeException e) {
      // The heartbeat sees the backlog and comes back.
      pauseNanos = Math.min(LONGEST_PAUSE_NANOS, 2 * pauseNanos);
      if (failure.isNews(e)) {
        log.warn(
            "folding filter {} failed and will be tried again: {}", context.name(), e.getMessage());
      }
      log.debug("folding failed", e);
    }
  }

  /**
   * Folds everything that was committed before this call.
   *
   * @param timeout how long one transaction may be tried; there may be many
   * @throws FilterUnavailableException if one does not succeed in time
   */
  void foldAll(Duration timeout) {
    long target = attempt(this::lastSeq, timeout);
    while (attempt(this::foldedSeq, timeout) < target) {
      attempt(this::step, timeout);
    }
  }

  private <T> T attempt(Supplier<T> work, Duration timeout) {
    return new Waiting(context.name())
        .forOutcome(
            () -> CompletableFuture.supplyAsync(work, context.io()),
            Deadline.in(context.time(), timeout));
  }

  private long lastSeq() {
    return context
        .database()
        .read(tx -> context.journal().unfolded(tx, context.filter()))
        .orElseThrow(() -> FilterNotReady.gone(context.filter().name()))
        .head()
        .lastSeq();
  }

  /** Waits for whoever folds now. */
  private long foldedSeq() {
    return context
        .database()
        .transact(tx -> context.folds().lock(tx, context.id()))
        .orElseThrow(() -> FilterNotReady.gone(context.filter().name()))
        .foldedSeq();
  }

  /**
   * Folds one batch; empty if there was nothing to fold, or if somebody else is folding.
   *
   * @throws CorruptFilterException if the journal lacks entries, or what was opened was changed
   */
  private OptionalLong step() {
    return context
        .database()
        .transact(
            tx ->
                context
                    .folds()
                    .tryLock(tx, context.id())
                    .map(state -> foldBatch(tx, state))
                    .orElse(OptionalLong.empty()));
  }

  private OptionalLong foldBatch(Tx tx, FoldState state) {
    // With what this process knew of another filter, or of other bits, it would spoil the slots.
    FilterHead head = context.requireUnchanged(tx).head();
    GenerationRecord newest = context.filter().newestGeneration();
    Probe probe = Probe.of(newest.parameters());
    SlotMasks masks = new SlotMasks();
    long keys = 0;
    long reached = state.foldedSeq();
    JournalChain chain = JournalChain.after(context.filter().name(), reached);
    boolean more = true;
    while (more) {
      List<JournalEntry> entries = context.journal().next(tx, context.filter(), chain);
      more = !entries.isEmpty();
      if (!more && reached < head.lastSeq()) {
        chain.requireEnd(head);
      }
      for (JournalEntry entry : entries) {
        for (long hash : entry.hashes()) {
          probe.forEachMask(hash, masks);
        }
        keys += entry.hashes().length;
        reached = entry.seq();
        if (masks.size() >= MOST_SLOTS_PER_TRANSACTION || keys >= MOST_KEYS_PER_TRANSACTION) {
          more = false;
          break;
        }
      }
    }
    if (reached == state.foldedSeq()) {
      return OptionalLong.empty();
    }
    new SlotRows(newest).or(tx, masks);
    advance(tx, state, reached);
    return OptionalLong.of(reached);
  }

  /** Says in the fold row that the slots hold the entries up to {@code to}. */
  void advance(Tx tx, FoldState from, long to) {
    if (!context.folds().advance(tx, context.id(), from, to)) {
      throw new IllegalStateException(
          "The fold row of filter " + context.name() + " changed under its lock.");
    }
  }
}
