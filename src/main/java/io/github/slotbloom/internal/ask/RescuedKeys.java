package io.github.slotbloom.internal.ask;

import io.github.slotbloom.internal.context.FilterContext;
import io.github.slotbloom.internal.store.catalog.RescuedRows;
import io.github.slotbloom.internal.time.Deadline;
import java.util.Set;

/**
 * Finds out which keys are rescued, so that block lists leave them out. Asks the database each
 * time: only keys that are taken for listed ones are asked for, and few of the others are.
 * Thread-safe.
 */
public final class RescuedKeys {

  private final FilterContext context;
  private final AwaitedReads reads;

  public RescuedKeys(FilterContext context) {
    this.context = context;
    this.reads = new AwaitedReads(context);
  }

  /**
   * Returns which keys are rescued now, by the clock of the database.
   *
   * @throws io.github.slotbloom.error.FilterUnavailableException if that could not be found out in
   *     time
   */
  public boolean[] among(long[] hashes, Deadline deadline) {
    Set<Long> rescued =
        reads.await(
            () ->
                context
                    .database()
                    .read(tx -> RescuedRows.among(tx, context.requireUnchanged(tx).id(), hashes)),
            deadline);
    boolean[] answers = new boolean[hashes.length];
    for (int i = 0; i < hashes.length; i++) {
      answers[i] = rescued.contains(hashes[i]);
    }
    return answers;
  }
}
