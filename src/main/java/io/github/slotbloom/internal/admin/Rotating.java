package io.github.slotbloom.internal.admin;

import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.error.SlotBloomException;
import io.github.slotbloom.internal.duty.Rotation;
import io.github.slotbloom.internal.duty.Rotator;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.GenerationRows;
import io.github.slotbloom.internal.store.catalog.SchemaTables;
import io.github.slotbloom.internal.store.catalog.WindowRows;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.journal.FoldRows;
import io.github.slotbloom.internal.store.session.Tx;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Begins the buckets of windows, makes their tables, and drops those of buckets that expired. What
 * expired is dropped as a table, so the cost does not depend on the number of keys.
 *
 * <p>An interrupted step is found and finished by the next caller.
 */
public final class Rotating implements Rotator {

  private static final Logger log = LoggerFactory.getLogger(Rotating.class);

  private static final String BEGIN = "begin its next bucket";

  private final FilterDirectory directory;
  private final SlotTables slotTables;
  private final Rotation rotation;

  /** Creates the rotation of filters of one schema. */
  public Rotating(FilterDirectory directory, Rotation rotation) {
    this.directory = directory;
    this.slotTables = new SlotTables(directory);
    this.rotation = rotation;
  }

  @Override
  public void rotate(FilterRecord seen) {
    Optional<SlotBloomException> withoutTable = tryToMakeNext(directory.require(seen));
    FilterDirectory.underLock(
        seen.name(), BEGIN, "add to", () -> directory.run(tx -> rotate(tx, seen, withoutTable)));
  }

  /** Returns why no table could be made; empty if there is one. */
  private Optional<SlotBloomException> tryToMakeNext(FilterRecord filter) {
    try {
      makeNext(filter);
      return Optional.empty();
    } catch (SchemaException | FilterUnavailableException e) {
      // The newest generation may be able to go on.
      log.debug("filter {} has no table for the keys of its next bucket", filter.name(), e);
      return Optional.of(e);
    }
  }

  private void rotate(Tx tx, FilterRecord seen, Optional<SlotBloomException> withoutTable) {
    directory.lockActive(tx, seen, BEGIN);
    FilterRecord filter = Catalog.find(tx, seen).orElse(null);
    if (filter != null && !rotation.rotate(tx, filter)) {
      throw cannotBegin(filter, withoutTable.orElse(null));
    }
  }

  private static SlotBloomException cannotBegin(
      FilterRecord filter, @Nullable SlotBloomException why) {
    if (why instanceof SchemaException) {
      return new SchemaException(
          ("Filter %s has no table for the keys of a new bucket, and none could be made, while the"
                  + " keys of the old one have expired. See that tables can be made, and add again.")
              .formatted(filter.name()),
          why);
    }
    // The database was away when the table was to be made, or others used it up meanwhile.
    return new FilterUnavailableException(
        "Filter %s could not %s yet, since the table for it was not made. Try again."
            .formatted(filter.name(), BEGIN),
        why);
  }

  @Override
  public long prepare(FilterRecord seen) {
    FilterRecord filter = directory.require(seen);
    makeNext(filter);
    dropExpired(filter);
    return filter.head().generationToken();
  }

  /** Makes the table for the generation after the newest, unless it is there. */
  private void makeNext(FilterRecord seen) {
    FilterRecord filter = seen;
    makeTable(filter);
    FilterRecord now = directory.require(filter);
    while (!filter.knows(now.head())) {
      // Others began a generation meanwhile, as by growing, and may have used the table.
      filter = now;
      makeTable(filter);
      now = directory.require(filter);
    }
  }

  private void makeTable(FilterRecord filter) {
    if (!directory.ask(tx -> begin(tx, filter))) {
      return;
    }
    int next = filter.newestGeneration().number() + 1;
    slotTables.makeNext(
        filter,
        next,
        "add",
        tx -> {
          boolean known = filter.knows(lock(tx, filter));
          if (known) {
            WindowRows.ready(tx, filter.id(), next);
          }
          return known;
        });
  }

  /** Returns false if there is a table, or others began a generation meanwhile. */
  private boolean begin(Tx tx, FilterRecord filter) {
    FilterHead head = lock(tx, filter);
    if (!filter.knows(head) || WindowRows.isNextReady(tx, filter)) {
      return false;
    }
    // Its size is known only when it begins.
    GenerationRows.begin(
        tx,
        filter,
        filter.sole(
            GenerationRows.next(tx, filter),
            head.lastSeq() + 1,
            filter.newestGeneration().capacity()));
    return true;
  }

  private FilterHead lock(Tx tx, FilterRecord filter) {
    return directory.lockActive(tx, filter, BEGIN);
  }

  private void dropExpired(FilterRecord filter) {
    long bucket = filter.head().bucket();
    directory
        .ask(tx -> WindowRows.expiredGenerations(tx, filter, bucket))
        .forEach(generation -> drop(filter, generation));
  }

  private void drop(FilterRecord filter, int generation) {
    // Whoever folds now may have seen the catalog as it was before.
    directory.ask(tx -> FoldRows.lock(tx, filter.id()));
    boolean dropped =
        directory.ask(
            tx -> {
              // A server that took over meanwhile may not know that it expired.
              FilterRecord now = Catalog.find(tx, filter).orElse(filter);
              boolean expired =
                  WindowRows.expiredGenerations(tx, now, now.head().bucket()).contains(generation);
              if (expired) {
                SchemaTables.dropTable(tx, filter.tables().slots(generation));
              }
              return expired;
            });
    if (dropped) {
      directory.run(tx -> WindowRows.delete(tx, filter.id(), generation));
    }
  }
}
