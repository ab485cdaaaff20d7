package io.github.slotbloom.internal.admin;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.internal.engine.FilterEngines;
import io.github.slotbloom.internal.store.Tokens;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.HeadLock;
import io.github.slotbloom.internal.store.catalog.ReservationRows;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.session.Tx;
import java.util.Optional;

/**
 * Gives a filter another name. One commit changes its row, and from it on no process adds or
 * answers from the database by the old name. Processes may answer from memory for one more lease.
 *
 * <p>Tables keep their names, which are made of the number of the filter.
 */
public final class Renaming {

  private final FilterDirectory directory;
  private final FilterEngines engines;
  private final FilterRecord filter;

  public Renaming(FilterDirectory directory, FilterEngines engines, FilterRecord filter) {
    this.directory = directory;
    this.engines = engines;
    this.filter = filter;
  }

  /**
   * Renames the filter.
   *
   * @throws io.github.slotbloom.error.FilterExistsException if there is a filter of the new name
   * @throws InvalidParameterException if it is the name of the filter already, or the filter is
   *     being replaced
   */
  public void rename(FilterName newName) {
    if (newName.equals(filter.name())) {
      throw new InvalidParameterException(
          "Filter " + newName + " already has that name. Choose another one.");
    }
    LockedStep.run(
        filter.name(), "be renamed", "rename", () -> directory.run(tx -> rename(tx, newName)));
    try {
      engines.awaitLease(filter);
    } catch (FilterUnavailableException e) {
      throw new FilterUnavailableException(
          ("Filter %s was renamed to %s, but waiting for other processes was interrupted. They can"
                  + " answer from memory under the old name for another %s.")
              .formatted(filter.name(), newName, filter.lease()),
          e);
    }
  }

  private void rename(Tx tx, FilterName newName) {
    if (Catalog.nameNow(tx, filter).equals(Optional.of(newName))) {
      // It was committed, and the answer was lost.
      return;
    }
    Catalog.find(tx, newName)
        .ifPresent(
            present -> {
              throw ReservationRows.exists(present, present.head().state());
            });
    FilterHead head = directory.lockActive(tx, filter, "be renamed");
    // Another process may have worked on a replacement for hours, and would be cut off.
    OngoingReplacement.requireNone(Catalog.at(tx, filter, head), "be renamed");
    if (!Catalog.rename(tx, filter.id(), newName)) {
      throw ReservationRows.taken(newName);
    }
    // An append fails that a process sent earlier that has the filter open.
    HeadLock.fenceOff(tx, filter.id(), Tokens.next());
  }
}
