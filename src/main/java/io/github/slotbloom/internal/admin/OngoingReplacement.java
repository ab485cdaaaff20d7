package io.github.slotbloom.internal.admin;

import io.github.slotbloom.Replacement;
import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.ReplacementException;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.FilterState;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.filter.ReplacementRecord;
import io.github.slotbloom.internal.store.session.Tx;

/** A replacement that was begun. Any process may end it, and another may go on with it. */
public final class OngoingReplacement {

  private final FilterRecord filter;

  /**
   * @param filter with the generation that is being filled
   */
  public OngoingReplacement(FilterRecord filter) {
    this.filter = filter;
  }

  /**
   * Refuses a filter that is being replaced.
   *
   * @param what what cannot be done with it meanwhile, as part of a sentence
   * @throws InvalidParameterException if it is
   */
  static void requireNone(FilterRecord filter, String what) {
    GenerationRecord target = filter.set().target();
    if (target != null) {
      throw new InvalidParameterException(
          ("Filter %s is being replaced by one of capacity %s, and cannot %s until that is over."
                  + " Finish it (slotbloom grow %s --capacity %s, with --from, --query or"
                  + " --from-journal), or give it up (slotbloom grow %s --abort).")
              .formatted(
                  filter.name(),
                  target.capacity(),
                  what,
                  filter.name(),
                  target.capacity(),
                  filter.name()));
    }
  }

  /**
   * Locks the head of the filter.
   *
   * @throws ReplacementException if the filter is not being replaced anymore
   */
  public FilterHead lock(Tx tx) {
    FilterHead head = lockHead(tx);
    requireGoesOn(head);
    return head;
  }

  /**
   * Locks the head of the filter, whether it is still being replaced or not.
   *
   * @throws ReplacementException if the filter is gone
   */
  public FilterHead lockHead(Tx tx) {
    return Catalog.lockHeadOnAllServers(tx, filter).orElseThrow(this::over);
  }

  /**
   * Refuses to go on where the generations are others by now, or the filter is not active.
   *
   * @throws ReplacementException if it is so
   */
  public void requireGoesOn(FilterHead head) {
    if (!filter.knows(head) || head.state() != FilterState.ACTIVE) {
      throw over();
    }
  }

  public ReplacementException takenOver() {
    return new ReplacementException(
        "Another process took over the replacement of filter "
            + filter.name()
            + ", because this process paused for too long. Let the other process finish.");
  }

  public ReplacementException over() {
    return new ReplacementException(
        "The replacement of filter "
            + filter.name()
            + " has ended: somebody finished or aborted it, or the filter was cleared or dropped, or expired.");
  }

  /** Returns the progress as the type of the public API. */
  public Replacement status(ReplacementRecord record) {
    return new Replacement(
        filter.name().value(),
        record.generation(),
        record.capacity(),
        record.source(),
        Replacement.Phase.valueOf(record.phase().name()),
        record.keysRead(),
        record.keysBefore(),
        record.begunAt(),
        record.updatedAt());
  }
}
