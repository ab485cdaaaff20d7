package io.github.slotbloom.internal.add;

import io.github.slotbloom.internal.store.catalog.FilterHead;

/** Nothing is written: the filter has to grow first, which takes a transaction of its own. */
final class OutgrownException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient FilterHead head;
  private final long newKeys;

  /**
   * @param head what was read under the lock
   * @param newKeys more than there is room for
   */
  OutgrownException(FilterHead head, long newKeys) {
    super("it waited for the filter to grow");
    this.head = head;
    this.newKeys = newKeys;
  }

  FilterHead head() {
    return head;
  }

  long newKeys() {
    return newKeys;
  }
}
