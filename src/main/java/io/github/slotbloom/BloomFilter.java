package io.github.slotbloom;

import io.github.slotbloom.report.CurrentErrorRate;
import io.github.slotbloom.report.ProcessStatistics;
import java.sql.Connection;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A Bloom filter that is stored in the database and that this process has opened.
 *
 * <p>The answer <b>seen</b> may be wrong, at the false positive rate that the filter was made for.
 * The answer <b>new</b> is never wrong. Once an add has returned, in any process and with either
 * answer, every strict question that begins afterwards finds the key, in any process. If several
 * callers add the same key, in one process or in many, at most one of them is told that it is new.
 *
 * <p>Instances are thread-safe and meant to be shared. A call that needs the database takes at most
 * the time-out of the {@link FilterOptions} that the filter was opened with. A call that consists
 * of several transactions may take that long for each of them.
 *
 * @param <K> the type of the keys
 */
public interface BloomFilter<K> extends AutoCloseable {

  /**
   * The largest number of keys in one transaction. A larger {@link #addEach} runs several
   * transactions, in order.
   */
  int MAX_KEYS_PER_TRANSACTION = 32_768;

  /** {@return the name that the filter has in the database} */
  String name();

  /**
   * Adds a key and returns true if it was new. When this method returns, the key is durable, with
   * either answer.
   *
   * @param key not null; its hashed form has at most 1 MiB
   * @return true if the key was not in the filter before; false if it was, or if it is a false
   *     positive
   * @throws io.github.slotbloom.error.InvalidKeyException if the key cannot be stored
   * @throws io.github.slotbloom.error.WriteFailedException if it could not be added; the exception
   *     says whether the key may be recorded
   * @throws io.github.slotbloom.error.FilterFullException if the key is new, the filter has no room
   *     for it, and it was set to {@link io.github.slotbloom.core.WhenFull#REFUSE}
   * @throws io.github.slotbloom.error.FilterClosedException if this filter was closed
   */
  boolean add(K key);

  /**
   * Adds keys in order and returns for each of them whether it was new. The second of two equal
   * keys is not new.
   *
   * <p>Up to {@value #MAX_KEYS_PER_TRANSACTION} keys are added in one transaction, all or nothing.
   * More keys take several transactions, one after the other. If one of them fails, {@link
   * io.github.slotbloom.error.WriteFailedException#durableKeys()} says how many keys from the start
   * of the list are durable.
   *
   * @param keys any number of keys, none of them null; an empty list causes no access to the
   *     database
   * @return one answer per key, in the order of the keys
   * @throws io.github.slotbloom.error.InvalidKeyException if a key cannot be stored; then none is
   *     added
   * @throws io.github.slotbloom.error.WriteFailedException if not all could be added
   * @throws io.github.slotbloom.error.FilterFullException if there is no room for all new keys and
   *     the filter was set to {@link io.github.slotbloom.core.WhenFull#REFUSE}
   * @throws io.github.slotbloom.error.FilterClosedException if this filter was closed
   */
  boolean[] addEach(List<? extends K> keys);

  /**
   * Adds keys like {@link #addEach} and returns those that were new. Use this method to remove
   * duplicates.
   *
   * @param keys none of them null; added in the order of the collection's iterator
   * @return the new keys in that order, each once, in a list of its own
   * @throws io.github.slotbloom.error.SlotBloomException as {@link #addEach} does. It is then not
   *     known which of the durable keys were new
   */
  List<K> filterNew(Collection<? extends K> keys);

  /**
   * Returns adds and removals that take part in a transaction of the caller: they commit and roll
   * back with it. {@link TransactionalWrites} says what that means for others who add to this
   * filter.
   *
   * <p>The other methods that add run in a transaction of their own, on a connection of the data
   * source. Use this method for keys that must be recorded if and only if other rows are: a key
   * that was added by {@link #add} stays recorded when the caller rolls back.
   *
   * <p>While the transaction is open, do not call the other methods in its thread: a plain add
   * would wait for a lock that only this thread can release, and a question perhaps for the last
   * connection of the pool, until the timeout of the filter.
   *
   * @param transaction a connection to the schema of the filter, not in autocommit mode: one that
   *     the caller opened, or the one of the transaction of a framework, for example from Spring's
   *     {@code DataSourceUtils.getConnection}. The caller commits, rolls back and closes it
   * @return adds for this one transaction
   * @throws io.github.slotbloom.error.FilterClosedException if this filter was closed
   */
  TransactionalWrites<K> within(Connection transaction);

  /**
   * Adds a key without waiting. The future fails with the exception that {@link #add} would throw.
   * It is completed on the callback executor of {@link SlotBloom}, never on the thread that writes.
   * If that executor throws or does not run the callback in time, threads of the library complete
   * the future.
   *
   * @param key not null; its hashed form has at most 1 MiB
   * @return a future that is completed once the key is durable, with the answer that {@link #add}
   *     would give. Canceling it does not remove the key
   * @throws io.github.slotbloom.error.InvalidKeyException at once if the key cannot be stored
   * @throws io.github.slotbloom.error.WriteFailedException at once if the write queue is full
   */
  CompletableFuture<Boolean> addAsync(K key);

  /**
   * Removes a key. When this method returns, every strict question in every process finds the key
   * missing, until somebody adds it again. No other key is harmed, whether or not this one was ever
   * added. Only a filter that was reserved with {@link FilterSpec.Builder#removable} can do this.
   *
   * <p>The bits of a removed key stay set, so the filter has no more room than before until it is
   * built anew: see {@link FilterSpec.Builder#removable}.
   *
   * @param key not null; its hashed form has at most 1 MiB
   * @return true if this call took the key out. Of several calls that remove a key at once, one is
   *     told so. If the filter retains hashes ({@link FilterSpec.Builder#retainHashes}), the answer
   *     is exact, up to keys with the same 64-bit hash. Otherwise it is also true for a false
   *     positive
   * @throws io.github.slotbloom.error.NotRemovableException if the filter was not reserved so
   * @throws io.github.slotbloom.error.RemovedKeysFullException if as many keys are removed as may
   *     be before the filter is built anew
   * @throws io.github.slotbloom.error.WriteFailedException if it could not be removed; the
   *     exception says whether the key may be removed
   * @throws io.github.slotbloom.error.InvalidKeyException if the key is one that cannot be stored
   * @throws io.github.slotbloom.error.FilterClosedException if this filter was closed
   */
  boolean remove(K key);

  /**
   * Removes keys in order and returns for each of them what {@link #remove} returns. The second of
   * two equal keys is not there anymore. Transactions and failures are those of {@link #addEach}.
   *
   * @param keys any number of keys, none of them null
   * @return one answer per key, in the order of the keys
   * @throws io.github.slotbloom.error.SlotBloomException as {@link #remove} does
   */
  boolean[] removeEach(List<? extends K> keys);

  /**
   * Removes a key without waiting, as {@link #addAsync} adds one. Calls of one thread take effect
   * in their order: a key that is added after it was removed is there.
   *
   * @param key not null; its hashed form has at most 1 MiB
   * @return a future that is completed once the removal is durable, with the answer that {@link
   *     #remove} would give. Canceling it does not bring the key back
   * @throws io.github.slotbloom.error.SlotBloomException at once if the key cannot be stored, the
   *     write queue is full, or keys cannot be removed from this filter
   */
  CompletableFuture<Boolean> removeAsync(K key);

  /**
   * Adds the key of an event to a window, unless the event came up so long ago that nobody can tell
   * whether the key was added before and has expired. So a consumer of messages processes each
   * message once, however late it is delivered again: process it if the answer is NEW, skip it if
   * it is SEEN, and put it aside if it is EXPIRED.
   *
   * <p>The time is compared with the clock of the database, and a difference of up to {@link
   * io.github.slotbloom.core.Window#tolerance} does no harm. The answer is EXPIRED if the event
   * came up longer ago than the window is long, less that tolerance, and the key is not in the
   * window.
   *
   * @param key not null; its hashed form has at most 1 MiB
   * @param eventTime when the event came up, the same each time the key is offered
   * @return what is known of the key; as for {@link #add}, it is durable
   * @throws io.github.slotbloom.error.NotWindowException if keys of this filter never expire
   * @throws io.github.slotbloom.error.InvalidParameterException if the event is still to come by
   *     more than the tolerance; the key was not added
   * @throws io.github.slotbloom.error.SlotBloomException as {@link #add} does
   */
  Offered offer(K key, Instant eventTime);

  /**
   * Returns true if the key may have been added.
   *
   * @param key not null; its hashed form has at most 1 MiB
   * @return false if the key was certainly not added, as of the age that {@link
   *     FilterOptions#freshness} allows; true if it was added or is a false positive
   * @throws io.github.slotbloom.error.InvalidKeyException if the key is one that cannot be stored,
   *     and so cannot have been added
   * @throws io.github.slotbloom.error.FilterUnavailableException if the answer needs the database,
   *     the database cannot be reached, and {@link FilterOptions#whenUnavailable} says to throw
   * @throws io.github.slotbloom.error.FilterClosedException if this filter was closed
   */
  boolean mightContain(K key);

  /**
   * Answers {@link #mightContain} for each key. Reads the changes of other processes at most once
   * for all keys.
   *
   * @param keys any number of keys, none of them null
   * @return one answer per key, in the order of the keys
   * @throws io.github.slotbloom.error.SlotBloomException as {@link #mightContain} does; then no key
   *     gets an answer
   */
  boolean[] mightContainEach(List<? extends K> keys);

  /**
   * Reports that a key which was answered "there" or "seen" was never added. The observed error
   * rate is computed from these reports: see {@link
   * io.github.slotbloom.report.FilterUsage#observedFalsePositiveRate}. Report either all false
   * positives or none; {@link LookupGuard} reports all. With a mirror this method does not access
   * the database.
   *
   * @param key not null
   * @return true if the report was counted; false if the filter does not take the key for a member,
   *     or if that is unknown because the database cannot be reached
   * @throws io.github.slotbloom.error.InvalidKeyException if the key is one that cannot be stored
   * @throws io.github.slotbloom.error.FilterClosedException if this filter was closed
   */
  boolean reportFalsePositive(K key);

  /**
   * Reports several keys as {@link #reportFalsePositive} reports one.
   *
   * @param keys any number of keys, none of them null
   * @return for each key, true if the report was counted, in the order of the keys
   * @throws io.github.slotbloom.error.SlotBloomException as {@link #reportFalsePositive} does; then
   *     none is counted
   */
  boolean[] reportFalsePositiveEach(List<? extends K> keys);

  /**
   * {@return how this process has used the filter since it opened it, and what it holds in memory}
   * Does not access the database. Also works after the filter was closed.
   */
  ProcessStatistics statistics();

  /**
   * Returns this filter as a block list, from which single keys can be rescued. May be called any
   * number of times: all block lists of one filter, in all processes, are the same.
   *
   * @return the block list; it is closed with this filter
   */
  BlockList<K> blockList();

  /**
   * {@return the current error rate and its target} Does not access the database. With a mirror,
   * the rate is computed from the bits that are set in memory, which takes about a second for some
   * gigabytes. Without a mirror, it is computed from the number of keys that this process last read
   * from the catalog, so an error in that number is not noticed. Also works after the filter was
   * closed.
   */
  CurrentErrorRate currentErrorRate();

  /**
   * Writes the entries of the journal to the slot table now, without waiting for the background
   * folder. Only readers of the slot table by SQL, and callers of {@link #info()}, see a
   * difference.
   *
   * @throws io.github.slotbloom.error.FilterUnavailableException if the database cannot be reached;
   *     entries that were folded before that stay folded
   * @throws io.github.slotbloom.error.FilterClosedException if this filter was closed
   */
  void fold();

  /**
   * Removes every key. When this method returns, no process answers from the old keys anymore. That
   * takes at least two seconds. There is one exception: if a machine was paused meanwhile and its
   * wall clock was not corrected when it resumed, it may answer from the old keys for the rest of
   * those two seconds. Other calls are refused while the filter is being cleared. If clearing is
   * interrupted, any process may call this method again to finish it.
   *
   * @throws io.github.slotbloom.error.FilterUnavailableException if the database cannot be reached
   * @throws io.github.slotbloom.error.FilterClosedException if this filter was closed
   */
  void clear();

  /**
   * {@return the parameters and figures of the filter, read from the database} Counts the bits in
   * all slots, so it takes longer for larger filters. The figures of this process are in {@link
   * #statistics}.
   *
   * @throws io.github.slotbloom.error.FilterUnavailableException if the database cannot be reached
   * @throws io.github.slotbloom.error.FilterClosedException if this filter was closed
   */
  FilterInfo info();

  /**
   * Ends the use by this object. The last of those that share the filter in this process ({@link
   * SlotBloom#open}) waits for all queued adds, then releases the memory. Closing it again does
   * nothing.
   */
  @Override
  void close();
}
