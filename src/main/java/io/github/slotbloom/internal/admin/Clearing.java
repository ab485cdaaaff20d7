package io.github.slotbloom.internal.admin;

import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.context.RetriedTransactions;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.fold.LeftTables;
import io.github.slotbloom.internal.fold.RemovedPurge;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.ReplacementRows;
import io.github.slotbloom.internal.store.filter.Cursor;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.Manifest;
import io.github.slotbloom.internal.store.journal.FoldRows;
import io.github.slotbloom.internal.store.journal.HashBlocks;
import io.github.slotbloom.internal.store.journal.Journal;
import io.github.slotbloom.internal.store.journal.ManifestRows;
import io.github.slotbloom.internal.store.session.DatabaseFailure;
import io.github.slotbloom.internal.store.session.Tx;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes all keys of a filter, by giving it one new generation, with a table of its own.
 *
 * <p>One commit does it, and from it on no process adds or answers from the database what was
 * before. Processes may answer from memory for one more lease. Then what is left of the old keys
 * goes, in batches; whoever has the filter open finishes that if this breaks off.
 */
public final class Clearing {

  private static final Logger log = LoggerFactory.getLogger(Clearing.class);

  private static final String BE_CLEARED = "be cleared";

  private final FilterDirectory directory;
  private final FilterEngines engines;
  private final FollowedFilter followed;
  private final SlotTables slotTables;
  private final RetriedTransactions transactions;

  public Clearing(FilterDirectory directory, FilterEngines engines, FilterRecord filter) {
    this.directory = directory;
    this.engines = engines;
    this.followed = new FollowedFilter(filter);
    this.slotTables = new SlotTables(directory);
    this.transactions = engines.transactions(filter);
  }

  /**
   * Clears the filter.
   *
   * @throws SchemaException if a table cannot be created
   */
  public void clear() {
    List<Cursor> sent = new ArrayList<>();
    LockedStep.run(followed.name(), BE_CLEARED, "clear", () -> clear(sent));
    LeftTables leftTables = new LeftTables(followed, transactions);
    List<Integer> left = orLater(leftTables::note, List.of());
    engines.awaitLease(followed.now());
    boolean done =
        orLater(
            () -> {
              HashBlocks.deleteAllBefore(
                  transactions,
                  followed.id(),
                  tx -> followed.requireUnchanged(tx).manifest().begins());
              leftTables.drop(left);
              return new RemovedPurge(followed, transactions).run();
            },
            false);
    log.debug(
        "old keys of filter {} {}",
        followed.name(),
        done ? "were deleted" : "will be deleted later");
  }

  /** The filter is cleared by then, so nothing that is left to be done may fail the call. */
  private <T> T orLater(Supplier<T> work, T otherwise) {
    try {
      return work.get();
    } catch (SchemaException | FilterUnavailableException | DatabaseFailure e) {
      log.info(
          "filter {} was cleared; leftover data of its old keys, which is no longer used, could not"
              + " be deleted yet: {}",
          followed.name(),
          e.getMessage());
      return otherwise;
    }
  }

  private void clear(List<Cursor> sent) {
    boolean done = false;
    while (!done) {
      FilterRecord filter = directory.require(followed.now());
      done = slotTables.makeNext(filter, "clear", tx -> clearance(tx, filter, sent));
    }
  }

  /** Returns what clears the filter; empty if it has other generations by now. */
  private Optional<Runnable> clearance(Tx tx, FilterRecord filter, List<Cursor> sent) {
    Optional<FilterRecord> known = directory.lockKnown(tx, filter, BE_CLEARED);
    if (Journal.holdsAny(tx, filter.id(), sent)) {
      // An earlier attempt was committed, and only its answer was lost.
      return Optional.of(() -> {});
    }
    return known.map(now -> () -> clear(tx, now, sent));
  }

  private void clear(Tx tx, FilterRecord filter, List<Cursor> sent) {
    FoldRows.lock(tx, filter.id());
    GenerationRecord generation = sole(filter);
    Manifest manifest = filter.manifest().cleared(generation);
    ManifestRows.append(tx, filter, manifest, generation.capacity());
    FoldRows.skip(tx, filter.id(), manifest.seq());
    Catalog.cleared(tx, filter.id());
    // Otherwise its old keys would come back.
    ReplacementRows.delete(tx, filter.id());
    sent.add(new Cursor(manifest.seq(), manifest.token()));
  }

  /**
   * One generation is enough for keys that are still to come, and errs and takes as if the filter
   * had been created for as many. Of a window, it takes the keys of the newest bucket.
   */
  private GenerationRecord sole(FilterRecord filter) {
    GenerationRecord newest = filter.newestGeneration();
    if (filter.window() != null) {
      return filter.sole(newest.capacity()).in(newest.bucket());
    }
    if (filter.generations().size() == 1) {
      return filter.next(newest.capacity(), newest.falsePositiveRate(), newest.parameters());
    }
    try {
      return filter.sole(filter.capacity());
    } catch (InvalidParameterException e) {
      log.info(
          "filter {} has a smaller capacity now that it was cleared: {}",
          followed.name(),
          e.getMessage());
      return filter.sole(newest.capacity());
    }
  }
}
