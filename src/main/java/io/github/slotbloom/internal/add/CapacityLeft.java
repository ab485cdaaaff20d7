package io.github.slotbloom.internal.add;

import io.github.slotbloom.core.WhenFull;
import io.github.slotbloom.error.FilterFullException;
import io.github.slotbloom.internal.engine.FilterContext;
import io.github.slotbloom.internal.store.catalog.FilterHead;

/** Knows how many more new keys a filter takes, and refuses those that do not fit. */
record CapacityLeft(FilterContext context) {

  /**
   * Returns how many more new keys may be added.
   *
   * @param head the head as read under the lock
   */
  long left(FilterHead head) {
    return head.whenFull() == WhenFull.REFUSE
        ? Math.max(0, head.capacity() - head.keysAdded())
        : Long.MAX_VALUE;
  }

  /**
   * Returns the exception for a caller whose new keys do not fit.
   *
   * @param accepted how many new keys of other callers the same transaction adds
   */
  FilterFullException full(FilterHead head, int accepted) {
    return new FilterFullException(context.name(), head.keysAdded() + accepted, head.capacity());
  }
}
