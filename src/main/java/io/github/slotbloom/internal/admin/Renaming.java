package io.github.slotbloom.internal.admin;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.error.FilterUnavailableException;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.internal.engine.FilterContext;
import io.github.slotbloom.internal.store.DatabaseFailure;
import io.github.slotbloom.internal.store.Tx;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.FilterRecord;
import io.github.slotbloom.internal.store.catalog.GenerationRecord;
import io.github.slotbloom.internal.store.catalog.ReservationRows;
import java.util.Optional;

/**
 * Gives a filter another name. One commit changes its row, and from it on no process adds or
 * answers from the database by the old name. Processes may answer from memory for one more lease.
 *
 * <p>Tables keep their names, since a server cannot rename a table and change a row at once. The
 * catalog names the table of each generation.
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
    try {
      directory.run(tx -> rename(tx, newName));
    } catch (FilterUnavailableException e) {
      throw e.getCause() instanceof DatabaseFailure f && f.lockWaitTimeout() ? held(e) : e;
    }
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
    ReservationRows.lockName(tx, newName);
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
    requireNotReplaced(context.requireUnchanged(tx));
    Catalog.rename(tx, context.id(), newName);
  }

  /** Another process may have worked on a replacement for hours, and would be cut off. */
  private static void requireNotReplaced(FilterRecord filter) {
    GenerationRecord target = filter.set().target();
    if (target != null) {
      throw new InvalidParameterException(
          ("Filter %s is being replaced by one of capacity %s, and cannot be renamed until that is"
                  + " over. Finish it ('./slotbloom grow %s --capacity %s' with --from, --query or"
                  + " --from-journal), or give it up ('./slotbloom grow %s --abort').")
              .formatted(
                  filter.name(),
                  target.capacity(),
                  filter.name(),
                  target.capacity(),
                  filter.name()));
    }
  }

  private FilterUnavailableException held(RuntimeException e) {
    return new FilterUnavailableException(
        ("Filter %s could not be renamed: its lock is held, perhaps by an application's transaction"
                + " that added to it and has not ended. End that transaction, then rename the filter"
                + " again.")
            .formatted(context.name()),
        e);
  }
}
