package io.github.slotbloom.internal.duty;

import io.github.slotbloom.internal.store.filter.FilterHead;

/** The automatic work for one filter as keys come and time passes. */
public record Duties(CapacityWatch capacity, SelfGrowth growth, SelfRotation rotation) {

  /** Takes in the head that a write of this process left. */
  public void onCommittedHead(FilterHead head) {
    capacity.heard(head);
    growth.onCommittedHead(head, 0);
    rotation.onCommittedHead(head);
  }
}
