package io.github.slotbloom.internal.add;

import io.github.slotbloom.internal.store.filter.FilterHead;

/**
 * Thrown if nothing is written because the filter has to grow first, in a transaction of its own.
 */
final class OutgrownException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  final transient FilterHead head;
  final long newKeys;

  /**
   * @param head the head as read under the lock
   * @param newKeys how many new keys there are, which is more than there is room for
   */
  OutgrownException(FilterHead head, long newKeys) {
    super("it waited for the filter to grow");
    this.head = head;
    this.newKeys = newKeys;
  }
}
