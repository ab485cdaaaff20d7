package io.github.slotbloom.internal.ask;

import io.github.slotbloom.internal.add.KeysInTransaction;
import io.github.slotbloom.internal.engine.Deadline;
import io.github.slotbloom.internal.store.Tx;
import io.github.slotbloom.internal.store.catalog.FilterHead;
import io.github.slotbloom.internal.store.catalog.GenerationRecord;
import io.github.slotbloom.internal.store.journal.JournalEntry;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How a process learns which keys a filter holds: from its mirror, or from the tables each time.
 */
public interface KnownKeys {

  /**
   * Whether the key is known to be in the filter and to stay there after any crash, and nothing is
   * left to be written for it, without asking the database.
   */
  boolean knows(long hash);

  /** As {@link #knows}, of each key. */
  boolean[] knowsEach(long[] hashes);

  /**
   * Which keys the filter holds, asked while the transaction holds the lock on its head.
   *
   * @throws StaleException if {@link #refresh} is needed first
   */
  Membership underLock(Tx tx, FilterHead head, long[] hashes);

  /**
   * Looks up what can be before others have to wait for the lock.
   *
   * @param transactions for what has to be asked
   * @param hashes gives what is likely to be asked under the lock
   * @return to be asked once, as {@link #underLock}
   */
  default UnderLock ahead(Transactions transactions, Supplier<long[]> hashes) {
    return this::underLock;
  }

  /**
   * Which keys the filter holds if its head is that one, without asking the database; empty if that
   * is not known. Whoever uses the answer must then find that head under its lock.
   */
  Optional<Membership> presumed(FilterHead head, long[] hashes);

  /** Decides within one transaction of a caller. */
  KeysInTransaction inTransaction();

  /**
   * The generation that takes new keys, if all these keys are known as by {@link #knows}, and no
   * generation is being filled as far as this process heard within a lease; otherwise null.
   */
  @Nullable GenerationRecord newestIfAllKnown(long[] hashes);

  /** Completes when {@link #underLock} can be expected to succeed, or exceptionally. */
  CompletableFuture<Void> refresh();

  /** Hears what this process committed under the lock on {@code before}. */
  void committed(FilterHead before, List<JournalEntry> appended);

  /**
   * Which keys the filter may hold.
   *
   * @param deadline begins one: a look at the clock that is needed only where there is something to
   *     wait for
   */
  boolean[] ask(long[] hashes, Supplier<Deadline> deadline);

  /** As {@link #ask}, of one key. */
  boolean ask(long hash, Supplier<Deadline> deadline);

  /**
   * Which of the keys are taken for members, however long ago the database was heard of.
   *
   * @param deadline as for {@link #ask}
   */
  boolean[] members(long[] hashes, Supplier<Deadline> deadline);

  /** As {@link KnownKeys#underLock}. */
  interface UnderLock {
    Membership find(Tx tx, FilterHead head, long[] hashes);
  }

  /** Runs work in a transaction of its own. */
  interface Transactions {
    <T> T run(Function<Tx, T> work);
  }

  /** The mirror cannot answer before it has caught up without the lock. */
  final class StaleException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }
}
