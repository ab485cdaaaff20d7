package io.github.slotbloom.internal.add;

import io.github.slotbloom.internal.store.catalog.FilterHead;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the head of a filter as this process left it, as long as nobody else writes to the
 * filter. The head then need not be read before it is changed, which saves a round trip.
 *
 * <p>Written by one thread at a time.
 */
final class ExpectedHead {

  private volatile @Nullable FilterHead left;
  private volatile boolean alone;

  /** Returns the expected head. Empty if other processes may well have written since. */
  Optional<FilterHead> get() {
    // An empty journal has no token that would identify it.
    return alone ? Optional.ofNullable(left).filter(head -> head.lastSeq() > 0) : Optional.empty();
  }

  /** Takes in the head as read under the lock. */
  void found(FilterHead head) {
    alone = head.equals(left);
  }

  /** Takes in that the head was not the expected one. */
  void missed() {
    alone = false;
  }

  /** Takes in the head up to which this process appended and committed. */
  void leave(FilterHead head) {
    left = head;
  }
}
