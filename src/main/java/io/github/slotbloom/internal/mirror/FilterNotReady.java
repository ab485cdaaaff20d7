package io.github.slotbloom.internal.mirror;

import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.FilterRecord;
import io.github.slotbloom.internal.store.filter.FilterState;
import java.time.Instant;

/** Thrown if the filter is gone, or does not exist yet. */
public final class FilterNotReady extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean expired;

  private FilterNotReady(String message, boolean expired) {
    super(message);
    this.expired = expired;
  }

  /** Says of a filter that is not there anymore what was last known of it. */
  public static FilterNotReady gone(FilterRecord filter) {
    Instant at = filter.head().expiresAt();
    return new FilterNotReady(
        "Filter "
            + filter.name()
            + " is no longer in the database: it was dropped, or a backup without it was restored."
            + (at == null ? "" : " When it was opened, its expiration time was " + utc(at) + "."),
        at != null);
  }

  /** Refuses a filter that is in any state but {@link FilterState#ACTIVE}. */
  public static void requireActive(FilterName name, FilterHead head) {
    if (head.state() != FilterState.ACTIVE) {
      throw in(name, head);
    }
  }

  /** Says what keeps the filter from being used. */
  public static FilterNotReady in(FilterName name, FilterHead head) {
    Instant at = head.expiresAt();
    return switch (head.state()) {
      case EXPIRED ->
          new FilterNotReady(
              "Filter "
                  + name
                  + " expired"
                  + (at == null ? "" : " at " + utc(at))
                  + " by the database clock, so it no longer exists for any client. Create it"
                  + " again; or, until its tables are dropped, restore it with a later expiration"
                  + " time (slotbloom expire "
                  + name
                  + " --never, or --at, or --in).",
              true);
      case RESERVING ->
          new FilterNotReady(
              "Filter " + name + " is being created. Open it when that has finished.", false);
      case IMPORTING ->
          new FilterNotReady(
              "Filter "
                  + name
                  + " is being imported. Wait until that ends. If the import was interrupted, drop"
                  + " the filter, or import the same export again in a few minutes.",
              false);
      case ACTIVE, DROPPING ->
          new FilterNotReady(
              "Filter "
                  + name
                  + " is being dropped."
                  + (at == null ? "" : " Its expiration time was " + utc(at) + "."),
              at != null);
    };
  }

  private static String utc(Instant at) {
    return at.toString().replace('T', ' ').replace("Z", " UTC");
  }

  /** Returns true if the filter is gone, and was to expire some time. */
  public boolean isExpired() {
    return expired;
  }
}
