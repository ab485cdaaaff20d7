package io.github.slotbloom.internal.add;

import io.github.slotbloom.internal.store.filter.FilterHead;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the head of a filter as this process left it, and how much others write. As long as
 * nobody does, the head need not be read before it is changed; as long as they seldom do, it need
 * not be locked.
 *
 * <p>Written by one thread at a time.
 */
final class ExpectedHead {

  /** The lock costs more than an append, and less than two in vain. */
  private static final int BATCHES_AFTER_COLLISION = 16;

  private volatile @Nullable FilterHead lastOwn;
  private volatile boolean alone;
  private volatile int batchesToLock;

  /** Returns the expected head; null if other processes may well have written since. */
  @Nullable FilterHead get() {
    return alone ? lastOwn : null;
  }

  /** Returns true if somebody else may well write between a read of the head and an append. */
  boolean locksFirst() {
    return batchesToLock > 0;
  }

  /** Takes in the head as read before it is changed. */
  void read(FilterHead head) {
    alone = head.equals(lastOwn);
    batchesToLock = alone ? 0 : Math.max(0, batchesToLock - 1);
  }

  /** Takes in that the head was not the one that this process left. */
  void wasAnother() {
    alone = false;
  }

  /** Takes in that somebody else held the lock, or wrote after the head was read. */
  void collided() {
    alone = false;
    batchesToLock = BATCHES_AFTER_COLLISION;
  }

  /** Takes in the head up to which this process appended and committed. */
  void committed(FilterHead head) {
    alone |= lastOwn == null;
    lastOwn = head;
  }
}
