package io.github.slotbloom.internal.membership;

import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.time.Deadline;
import java.util.List;

/**
 * Finds out which keys a filter holds, within a transaction of a caller. The snapshot of such a
 * transaction may be old, so everything that the decision depends on is read under locks. The
 * transaction sees its own adds. They stay out of the knowledge of the process, because they may
 * yet be rolled back.
 *
 * <p>Not thread-safe.
 */
public interface KeysInCallerTransaction {

  /**
   * Does the work that should not be done while others wait for the lock.
   *
   * @throws KnownKeys.StaleException if {@link #underLock} cannot succeed
   */
  void beforeLock(Deadline deadline);

  /**
   * Returns which keys the filter holds. Called while the transaction holds the lock on the head.
   *
   * @throws KnownKeys.StaleException if that cannot be known without another transaction
   */
  Membership underLock(Tx tx, FilterHead head, long[] hashes, Deadline deadline);

  /** Takes in the entries that this transaction appended. */
  void appended(List<JournalEntry> entries);
}
