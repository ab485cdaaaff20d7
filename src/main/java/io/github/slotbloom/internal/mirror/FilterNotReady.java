package io.github.slotbloom.internal.mirror;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.internal.store.catalog.FilterHead;
import io.github.slotbloom.internal.store.catalog.FilterState;

/**
 * Thrown if the filter cannot be used now. A filter that is being cleared can be used again soon. A
 * filter that is gone cannot.
 */
public final class FilterNotReady extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean gone;

  private FilterNotReady(String message, boolean gone) {
    super(message);
    this.gone = gone;
  }

  public static FilterNotReady gone(FilterName name) {
    return new FilterNotReady(
        "Filter "
            + name
            + " is not in the database any more: it was dropped, or a backup without it was restored.",
        true);
  }

  /** Refuses a filter that is in any state but {@link FilterState#ACTIVE}. */
  public static void requireActive(FilterName name, FilterHead head) {
    if (head.state() != FilterState.ACTIVE) {
      throw in(name, head.state());
    }
  }

  public static FilterNotReady in(FilterName name, FilterState state) {
    return switch (state) {
      case CLEARING ->
          new FilterNotReady(
              "Filter "
                  + name
                  + " is being cleared. If the process that began it is gone, clear it again to finish.",
              false);
      case RESERVING ->
          new FilterNotReady(
              "Filter " + name + " is being reserved. Open it when that is finished.", true);
      case IMPORTING ->
          new FilterNotReady(
              "Filter " + name + " is being imported. Open it when that is finished.", true);
      case ACTIVE, DROPPING -> new FilterNotReady("Filter " + name + " is being dropped.", true);
    };
  }

  public boolean isGone() {
    return gone;
  }
}
