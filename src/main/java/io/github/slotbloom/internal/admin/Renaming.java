package io.github.slotbloom.internal.admin;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.internal.context.FilterContext;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.ReservationRows;
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
  private final FilterContext context;

  public Renaming(FilterDirectory directory, FilterContext context) {
    this.directory = directory;
    this.context = context;
  }

  /**
   * Renames the filter.
   *
   * @throws io.github.slotbloom.error.FilterExistsException if there is a filter of the new name
   * @throws InvalidParameterException if it is the name of the filter already, or the filter is
   *     being replaced
   */
  public void rename(FilterName newName) {
    if (newName.equals(context.filter().name())) {
      throw new InvalidParameterException(
          "Filter " + newName + " has that name already. Give another one.");
    }
    FilterDirectory.underLock(
        context.filter().name(),
        "be renamed",
        "rename",
        () -> directory.run(tx -> rename(tx, newName)));
    long renamed = context.time().nanoTime();
    try {
      LeaseEnd.await(context, renamed);
    } catch (FilterUnavailableException e) {
      throw new FilterUnavailableException(
          ("Filter %s was renamed to %s, but waiting for other processes was interrupted. They may"
                  + " answer from memory by the old name for %s more.")
              .formatted(context.name(), newName, context.filter().lease()),
          e);
    }
  }

  private void rename(Tx tx, FilterName newName) {
    if (Catalog.nameNow(tx, context.filter()).equals(Optional.of(newName))) {
      // It was committed, and the answer was lost.
      return;
    }
    Catalog.find(tx, newName)
        .ifPresent(
            present -> {
              throw ReservationRows.exists(present, present.head().state());
            });
    directory.lockActive(tx, context.filter(), "be renamed");
    // Another process may have worked on a replacement for hours, and would be cut off.
    OngoingReplacement.requireNone(context.requireUnchanged(tx), "be renamed");
    if (!Catalog.rename(tx, context.id(), newName)) {
      throw ReservationRows.taken(newName);
    }
  }
}
