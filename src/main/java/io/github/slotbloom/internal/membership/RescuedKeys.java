package io.github.slotbloom.internal.membership;

import io.github.slotbloom.internal.background.Background;
import io.github.slotbloom.internal.bits.Hashes;
import io.github.slotbloom.internal.context.FollowedFilter;
import io.github.slotbloom.internal.store.catalog.RescuedRows;
import io.github.slotbloom.internal.store.session.Database;
import io.github.slotbloom.internal.time.Deadline;
import java.util.Set;

/**
 * Finds out which keys are rescued, so that block lists leave them out. Asks the database each
 * time: only keys that count as listed are looked up, and few of the others are. Thread-safe.
 */
public final class RescuedKeys {

  private final FollowedFilter followed;
  private final Database database;
  private final AwaitedReads reads;

  public RescuedKeys(FollowedFilter followed, Database database, Background io) {
    this.followed = followed;
    this.database = database;
    this.reads = new AwaitedReads(followed.name(), io);
  }

  /**
   * Returns which keys are rescued now, by the database clock.
   *
   * @throws io.github.slotbloom.error.FilterUnavailableException if that could not be found out in
   *     time
   */
  public boolean[] among(long[] hashes, Deadline deadline) {
    Set<Long> rescued =
        reads.await(
            () ->
                database.read(
                    tx -> RescuedRows.among(tx, followed.requireUnchanged(tx).id(), hashes)),
            deadline);
    return Hashes.test(hashes, rescued::contains);
  }
}
