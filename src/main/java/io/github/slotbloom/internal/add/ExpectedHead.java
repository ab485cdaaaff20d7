package io.github.slotbloom.internal.add;

import io.github.slotbloom.internal.store.catalog.FilterHead;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The head of a filter as this process left it, as long as nobody else writes to it. What it is
 * then need not be read before it is changed, which saves a round trip.
 *
 * <p>Written by one thread at a time.
 */
final class ExpectedHead {

  private volatile @Nullable FilterHead left;
  private volatile boolean alone;

  /** What to expect; empty if others may well have written since. */
  Optional<FilterHead> get() {
    // Of an empty journal no token tells that it is this one.
    return alone ? Optional.ofNullable(left).filter(head -> head.lastSeq() > 0) : Optional.empty();
  }

  /** It was this, read under the lock. */
  void found(FilterHead head) {
    alone = head.equals(left);
  }

  /** It was something else. */
  void missed() {
    alone = false;
  }

  /** This process appended up to there, and committed. */
  void leave(FilterHead head) {
    left = head;
  }
}
