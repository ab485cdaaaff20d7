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

  private volatile @Nullable FilterHead lastOwn;
  private volatile boolean alone;

  /** Returns the expected head. Empty if other processes may well have written since. */
  Optional<FilterHead> get() {
    // An empty journal has no token that would identify it.
    return alone
        ? Optional.ofNullable(lastOwn).filter(head -> head.lastSeq() > 0)
        : Optional.empty();
  }

  /** Takes in the head as read under the lock. */
  void readUnderLock(FilterHead head) {
    alone = lastOwn == null || head.equals(lastOwn);
  }

  /** Takes in that the head was not the expected one. */
  void wasAnother() {
    alone = false;
  }

  /** Takes in the head up to which this process appended and committed. */
  void committed(FilterHead head) {
    lastOwn = head;
  }
}
