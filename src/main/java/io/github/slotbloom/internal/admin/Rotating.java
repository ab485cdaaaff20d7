package io.github.slotbloom.internal.admin;

import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.SchemaException;
import io.github.slotbloom.error.SlotBloomException;
import io.github.slotbloom.internal.duty.GenerationMaker;
import io.github.slotbloom.internal.duty.Rotation;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.Tx;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Begins the buckets of windows, and makes their tables.
 *
 * <p>An interrupted step is found and finished by the next caller.
 */
public final class Rotating {

  private static final Logger log = LoggerFactory.getLogger(Rotating.class);

  private static final String BEGIN = "begin its next bucket";

  private final FilterDirectory directory;
  private final SlotTables slotTables;
  private final Rotation rotation;

  public Rotating(FilterDirectory directory, Rotation rotation) {
    this.directory = directory;
    this.slotTables = new SlotTables(directory);
    this.rotation = rotation;
  }

  /** Does the same as {@link GenerationMaker#rotate}. */
  void rotate(FilterRecord seen) {
    Optional<SlotBloomException> withoutTable = tryToMakeNext(directory.require(seen));
    LockedStep.run(
        seen.name(), BEGIN, "add to", () -> directory.run(tx -> rotate(tx, seen, withoutTable)));
  }

  /** Returns why no table could be created; empty if there is one. */
  private Optional<SlotBloomException> tryToMakeNext(FilterRecord filter) {
    try {
      makeNext(filter);
      return Optional.empty();
    } catch (SchemaException | FilterUnavailableException e) {
      // The newest generation may be able to go on.
      log.debug("filter {} has no table for its next bucket", filter.name(), e);
      return Optional.of(e);
    }
  }

  private void rotate(Tx tx, FilterRecord seen, Optional<SlotBloomException> withoutTable) {
    directory.lockActive(tx, seen, BEGIN);
    FilterRecord filter = Catalog.find(tx, seen).orElse(null);
    if (filter != null && !rotation.rotate(tx, filter)) {
      throw withoutTable
          .filter(why -> why instanceof SchemaException)
          .orElseGet(
              // The database was away when the table was to be created, or others used it up.
              () ->
                  new FilterUnavailableException(
                      "Filter %s could not %s yet, because its table was not created. Try again."
                          .formatted(filter.name(), BEGIN),
                      withoutTable.orElse(null)));
    }
  }

  /** Does the same as {@link GenerationMaker#prepareBucket}. */
  long prepare(FilterRecord seen) {
    FilterRecord filter = directory.require(seen);
    makeNext(filter);
    return filter.head().manifestToken();
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
    slotTables.makeNext(
        filter, "add", tx -> directory.lockKnown(tx, filter, BEGIN).map(now -> () -> {}));
  }
}
