package io.github.slotbloom.internal.admin;

import io.github.slotbloom.internal.context.FilterContext;
import io.github.slotbloom.internal.context.Waiting;
import java.util.concurrent.TimeUnit;

/** Waits until no process answers from what it knew before a change of a filter. */
public final class LeaseEnd {

  private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private LeaseEnd() {}

  /**
   * Waits for one lease of the filter.
   *
   * @param changed a time after the commit of the change, by the clock of the context
   */
  public static void await(FilterContext context, long changed) {
    long lease = context.filter().lease().toNanos();
    new Waiting(context.name())
        .until(
            () -> context.time().nanoTime() - changed >= lease, context.time(), LOOK_AGAIN_NANOS);
  }
}
