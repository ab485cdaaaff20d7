package io.github.slotbloom.internal.add;

import io.github.slotbloom.internal.ask.KnownKeys;
import io.github.slotbloom.internal.ask.Membership;
import io.github.slotbloom.internal.engine.Deadline;
import io.github.slotbloom.internal.store.Tx;
import io.github.slotbloom.internal.store.catalog.FilterHead;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import java.util.List;

/**
 * Which keys a filter holds for a transaction that is not ours: it may have a snapshot from long
 * ago, so everything that the decision rests on is read under locks; it sees what it added itself;
 * and what it adds stays out of what the process knows, since it may yet be rolled back.
 *
 * <p>Not thread-safe.
 */
public interface KeysInTransaction {

  /**
   * Does beforehand what should not be done while others wait for the lock.
   *
   * @throws KnownKeys.StaleException if {@link #underLock} cannot succeed
   */
  void beforeLock(Deadline deadline);

  /**
   * Which keys the filter holds, asked while the transaction holds the lock on its head.
   *
   * @throws KnownKeys.StaleException if that cannot be known without another transaction
   */
  Membership underLock(Tx tx, FilterHead head, long[] hashes, Deadline deadline);

  /** Hears what this transaction appended. */
  void appended(List<JournalEntry> entries);
}
