package io.github.slotbloom;

import io.github.slotbloom.report.CurrentErrorRate;
import io.github.slotbloom.report.ProcessStatistics;
import java.sql.Connection;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * One Bloom filter in the database, opened by this process.
 *
 * <p><b>Seen</b> may be wrong, at the false positive rate that the filter was made for; <b>new</b>
 * never is. A key whose add returned anywhere, with whatever answer, is found by every strict
 * question that begins afterwards, in any process. Of all callers in all processes that add the
 * same key at most one is told that it is new.
 *
 * <p>Instances are thread-safe and meant to be shared. Every call that needs the database takes at
 * most the time-out of the {@link FilterOptions} it was opened with; one that is made of several
 * transactions for each.
 *
 * @param <K> the type of the keys
 */
public interface BloomFilter<K> extends AutoCloseable {

  /**
   * The most keys that one transaction takes; a larger {@link #addEach} is made of several, in
   * order.
   */
  int MAX_KEYS_PER_TRANSACTION = 32_768;

  /** {@return the name that the filter has in the database} */
  String name();

  /**
   * Adds a key, and tells whether it was new. The key is durable when this returns, whatever the
   * answer.
   *
   * @param key never null, at most 1 MiB as it is hashed
   * @return true if the key was not in the filter before; false if it was, or if it is a false
   *     positive
   * @throws io.github.slotbloom.error.InvalidKeyException if the key cannot be stored
   * @throws io.github.slotbloom.error.AddFailedException if it could not be added; says whether it
   *     may be recorded
   * @throws io.github.slotbloom.error.FilterFullException if it is new, there is no room, and the
   *     filter was set to {@link io.github.slotbloom.core.WhenFull#REFUSE}
   * @throws io.github.slotbloom.error.FilterClosedException if this filter was closed
   */
  boolean add(K key);

  /**
   * Adds keys in order, and tells of each whether it was new; the second of two equal keys is not.
   *
   * <p>Up to {@value #MAX_KEYS_PER_TRANSACTION} keys are one transaction, all or nothing. More are
   * several transactions one after the other: if one fails, {@link
   * io.github.slotbloom.error.AddFailedException#durableKeys()} says how many keys from the start
   * of the list are durable.
   *
   * @param keys any number, none of them null; an empty list does not reach the database
   * @return one answer per key, in the order of the keys
   * @throws io.github.slotbloom.error.InvalidKeyException if a key cannot be stored; then none is
   *     added
   * @throws io.github.slotbloom.error.AddFailedException if not all could be added
   * @throws io.github.slotbloom.error.FilterFullException if there is no room for all that are new,
   *     and the filter was set to {@link io.github.slotbloom.core.WhenFull#REFUSE}
   * @throws io.github.slotbloom.error.FilterClosedException if this filter was closed
   */
  boolean[] addEach(List<? extends K> keys);

  /**
   * Adds keys like {@link #addEach} and keeps those that were new. This is the call that dedup
   * wants.
   *
   * @param keys none of them null; added in the order of the collection's iterator
   * @return the new ones in that order, each once; not connected with {@code keys}
   * @throws io.github.slotbloom.error.SlotBloomException as {@link #addEach} does. Which of the
   *     durable keys were new is lost then
   */
  List<K> filterNew(Collection<? extends K> keys);

  /**
   * Adds that take part in a transaction of the caller's: they commit and roll back with it. See
   * there for what that means for others who add to this filter.
   *
   * <p>Each add of this very filter works alone, in a transaction of its own on a connection of the
   * data source; this is for keys that must be recorded if and only if other rows are.
   *
   * @param transaction a connection to the schema that the filter is in, not in autocommit mode,
   *     such as one that {@code DataSourceUtils} or jOOQ's {@code DSLContext.connection} hands out;
   *     it stays the caller's to commit, to roll back and to close
   * @return the adds of this one transaction
   * @throws io.github.slotbloom.error.FilterClosedException if this filter was closed
   */
  TransactionalAdds<K> within(Connection transaction);

  /**
   * Adds a key without waiting. The future fails with what {@link #add} would throw; it is
   * completed on the callback executor of {@link SlotBloom}, never on the thread that writes. If
   * that executor throws or does not run it in time, threads of the library complete it.
   *
   * @param key never null, at most 1 MiB as it is hashed
   * @return completed, once the key is durable, with what {@link #add} would answer. Cancelling it
   *     does not take the key back
   * @throws io.github.slotbloom.error.InvalidKeyException at once if the key cannot be stored
   * @throws io.github.slotbloom.error.AddFailedException at once if the write queue is full
   */
  CompletableFuture<Boolean> addAsync(K key);

  /**
   * Tells whether a key may have been added.
   *
   * @param key never null, at most 1 MiB as it is hashed
   * @return false means certainly not (as fresh as {@link FilterOptions#freshness} says), true
   *     means yes but for the false positive rate
   * @throws io.github.slotbloom.error.InvalidKeyException if no such key can have been added
   * @throws io.github.slotbloom.error.FilterUnavailableException if the database is needed for the
   *     answer, cannot be reached, and {@link FilterOptions#whenUnavailable} says to throw
   * @throws io.github.slotbloom.error.FilterClosedException if this filter was closed
   */
  boolean mightContain(K key);

  /**
   * Asks like {@link #mightContain} for each key; reads what others wrote at most once for all of
   * them.
   *
   * @param keys any number, none of them null
   * @return one answer per key, in the order of the keys
   * @throws io.github.slotbloom.error.SlotBloomException as {@link #mightContain} does; then there
   *     is no answer to any key
   */
  boolean[] mightContainEach(List<? extends K> keys);

  /**
   * Hears that a key which was answered "there" or "seen" was never added, so that the error rate
   * can be observed: see {@link io.github.slotbloom.report.FilterUsage#observedFalsePositiveRate}.
   * Whoever reports some should report all; {@link LookupGuard} does. Takes no look at the database
   * where the filter has a mirror.
   *
   * @param key never null
   * @return whether it was counted: not if the filter does not take the key for a member, nor if
   *     that cannot be known since the database cannot be reached
   * @throws io.github.slotbloom.error.InvalidKeyException if no such key can have been asked for
   * @throws io.github.slotbloom.error.FilterClosedException if this filter was closed
   */
  boolean reportFalsePositive(K key);

  /**
   * Hears of several keys what {@link #reportFalsePositive} hears of one.
   *
   * @param keys any number, none of them null
   * @return for each key whether it was counted, in the order of the keys
   * @throws io.github.slotbloom.error.SlotBloomException as {@link #reportFalsePositive} does; then
   *     none is counted
   */
  boolean[] reportFalsePositiveEach(List<? extends K> keys);

  /**
   * {@return how this process uses the filter since it opened it, and what it holds in memory}
   * Takes no look at the database, also of a filter that was closed.
   */
  ProcessStatistics statistics();

  /**
   * {@return the error rate now, beside its target} Takes no look at the database. With a mirror it
   * comes from the bits that are set in memory, which takes a second for some gigabytes of them.
   * Without one it comes from the number of keys that the catalog named when it was heard of last,
   * and so knows nothing of a number that is wrong.
   */
  CurrentErrorRate currentErrorRate();

  /**
   * Writes what the journal holds into the slot table now, rather than when the folder would. Only
   * what reads the slot table by SQL, or asks for {@link #info()}, sees a difference.
   *
   * @throws io.github.slotbloom.error.FilterUnavailableException if the database cannot be reached;
   *     what was folded before stays folded
   */
  void fold();

  /**
   * Removes every key. When this returns no process answers from before any more; that takes two
   * seconds at least. There is one exception: a machine that was paused meanwhile, and whose wall
   * clock was not put right when it went on, may answer from before for the rest of those two
   * seconds. Other calls are refused while it works; if it is interrupted, any process may call it
   * again to finish.
   *
   * @throws io.github.slotbloom.error.FilterUnavailableException if the database cannot be reached
   */
  void clear();

  /**
   * {@return parameters and figures of the filter, read from the database} Counts the bits in all
   * slots, so it takes longer the larger the filter is. {@link #statistics} has those of this
   * process.
   *
   * @throws io.github.slotbloom.error.FilterUnavailableException if the database cannot be reached
   */
  FilterInfo info();

  /**
   * Waits for adds that are queued, then gives back what the filter holds in memory. Closing again
   * does nothing.
   */
  @Override
  void close();
}
