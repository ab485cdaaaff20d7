package io.github.slotbloom.internal.membership;

import io.github.slotbloom.internal.store.filter.FilterHead;
import io.github.slotbloom.internal.store.filter.GenerationRecord;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import io.github.slotbloom.internal.store.session.Transactions;
import io.github.slotbloom.internal.store.session.Tx;
import io.github.slotbloom.internal.time.Deadline;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds out which keys a filter holds, from the mirror of the process or from the tables each time.
 */
public interface KnownKeys {

  /**
   * Returns true if the key is known to be in the filter and to stay there after any crash, and
   * nothing is left to be written for it. Does not query the database, so it is false for all keys
   * of a filter whose keys can be removed by others meanwhile.
   */
  boolean knows(long hash);

  /**
   * Does the same as {@link #knows}, for each key. If keys can be removed, it looks at the end of
   * the journal before it says that it knows one, and says that it knows none if that fails.
   */
  boolean[] knowsEach(long[] hashes, Deadline deadline);

  /**
   * Returns which keys the filter holds. Called while the transaction holds the lock on the head.
   *
   * @throws StaleException if {@link #refresh} is needed first
   */
  Membership underLock(Tx tx, FilterHead head, long[] hashes);

  /**
   * Looks up as much as possible before others have to wait for the lock.
   *
   * @param transactions runs the reads of the database
   * @param hashes gives the hashes that are likely to be looked up under the lock
   * @return the object to ask once, as {@link #underLock}
   */
  default UnderLock ahead(Transactions transactions, Supplier<long[]> hashes) {
    return this::underLock;
  }

  /**
   * Returns which keys the filter holds, and the head that this holds for. The caller must find the
   * same head when it writes.
   *
   * @param expected the head as this process left it, which need not be read if it may well be the
   *     present one; null if it is not known
   * @param reads runs the read of the database, if one is needed
   * @return empty if it takes the lock to find out
   * @throws StaleException if {@link #refresh} is needed first
   */
  Optional<AtHead> presumed(@Nullable FilterHead expected, long[] hashes, Transactions reads);

  /** Returns an object that decides within one transaction of a caller. */
  KeysInCallerTransaction inTransaction();

  /**
   * Returns the generation that takes new keys, if all these keys are known in the sense of {@link
   * #knows}, and no generation is being filled as far as this process heard within a lease;
   * otherwise null.
   */
  @Nullable GenerationRecord newestIfAllKnown(long[] hashes);

  /** Completes when {@link #underLock} can be expected to succeed, or exceptionally. */
  CompletableFuture<Void> refresh();

  /**
   * Returns true if the newest entry of the hash is known to have added it. Holds for the head that
   * {@link #underLock} or {@link #presumed} was called for last.
   */
  default boolean wasAdded(long hash) {
    return false;
  }

  /** Takes in the entries that this process committed under the lock on {@code before}. */
  void committed(FilterHead before, List<JournalEntry> appended);

  /**
   * Returns which keys the filter may hold.
   *
   * @param deadline starts a deadline; reads the clock, so it is called only if there is something
   *     to wait for
   */
  boolean[] ask(long[] hashes, Supplier<Deadline> deadline);

  /** Returns what {@link #ask} answers for one key if it need not query the database. */
  MemoryAnswer askMemory(long hash);

  /** Does the same as {@link #ask} for one key that {@link #askMemory} did not know. */
  boolean askDatabase(long hash, Deadline deadline);

  /**
   * Returns which keys are taken for members, no matter how old the news from the database is.
   *
   * @param deadline as for {@link #ask}
   */
  boolean[] members(long[] hashes, Supplier<Deadline> deadline);

  /** An answer from memory about a key. */
  enum MemoryAnswer {
    PRESENT,
    ABSENT,
    /** The database must be asked. */
    UNKNOWN
  }

  /**
   * What the filter holds as long as its head is this one.
   *
   * @param wasRead true if the head was read during the call, and not just expected
   */
  record AtHead(FilterHead head, Membership held, boolean wasRead) {}

  /** Answers as {@link KnownKeys#underLock} does. */
  interface UnderLock {
    Membership find(Tx tx, FilterHead head, long[] hashes);
  }

  /**
   * Thrown if the transaction must be played again: what this process knows does not lead to the
   * head, or a caller of the batch gave up meanwhile.
   */
  final class StaleException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }
}
