package io.github.slotbloom.internal.admin;

import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.error.ReplacementException;
import io.github.slotbloom.internal.store.catalog.Catalog;
import io.github.slotbloom.internal.store.catalog.HeadLock;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.FilterState;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.session.Tx;
import java.util.Objects;

/** A replacement that was begun. Any process may end it, and another may continue it. */
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
  public static void requireNone(FilterRecord filter, String what) {
    GenerationRecord target = filter.manifest().target();
    if (target != null) {
      throw new InvalidParameterException(
          ("Filter %s is being replaced by one with a capacity of %s, and cannot %s until that has"
                  + " ended. Finish the replacement (slotbloom grow %s --capacity %s, with --from,"
                  + " --query or --from-journal), or abort it (slotbloom grow %s --abort).")
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
    FilterRecord unused = requireGoesOn(tx, head);
    return head;
  }

  /**
   * Locks the head of the filter, whether it is still being replaced or not.
   *
   * @throws ReplacementException if the filter is gone
   */
  public FilterHead lockHead(Tx tx) {
    return HeadLock.takeOnAllServers(tx, filter).orElseThrow(this::over);
  }

  /**
   * Refuses to continue where the generation is not being filled anymore, or the filter is not
   * active.
   *
   * @param head as it was read under the lock
   * @return the filter as it is under the lock; it may have grown
   * @throws ReplacementException if it is so
   */
  public FilterRecord requireGoesOn(Tx tx, FilterHead head) {
    FilterRecord now = Catalog.at(tx, filter, head);
    if (!isIn(now) || head.state() != FilterState.ACTIVE) {
      throw over();
    }
    return now;
  }

  /** Returns true if the generation is still being filled where the filter is like that. */
  public boolean isIn(FilterRecord now) {
    GenerationRecord target = now.manifest().target();
    return target != null && target.isSameAs(Objects.requireNonNull(filter.manifest().target()));
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
            + " has ended: it was finished or aborted, or the filter was cleared, dropped or"
            + " expired.");
  }
}
