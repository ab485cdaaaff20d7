package io.github.slotbloom;

import io.github.slotbloom.internal.opened.KeyHashing;
import io.github.slotbloom.report.ProcessStatistics;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import javax.sql.DataSource;

/**
 * A Bloom filter that is stored in the database and that this process has opened.
 *
 * <p>The answer <b>seen</b> may be wrong, at the false positive rate that the filter was created
 * with. The answer <b>new</b> is never wrong. Once an add has returned, in any process and with
 * either answer, every strict lookup that begins afterwards finds the key, in any process. If
 * several callers add the same key, in one process or in many, at most one of them is told that it
 * is new.
 *
 * <p>Instances are thread-safe and meant to be shared. A call that needs the database takes at most
 * the timeout of the {@link FilterOptions} that the filter was opened with. A call that consists of
 * several transactions may take that long for each of them.
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
   *     for it, and it was created with {@link io.github.slotbloom.core.OnFull#REFUSE}
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
   *     the filter was set to {@link io.github.slotbloom.core.OnFull#REFUSE}
   * @throws io.github.slotbloom.error.FilterClosedException if this filter was closed
   */
  boolean[] addEach(List<? extends K> keys);

  /**
   * Adds keys like {@link #addEach} and returns those that were new. Use this method to remove
   * duplicates.
   *
   * @param keys none of them null; added in the order of the collection's iterator
   * @return the new keys in that order, each once, in a new list
   * @throws io.github.slotbloom.error.SlotBloomException as {@link #addEach} does. It is then not
   *     known which of the durable keys were new
   */
  default List<K> filterNew(Collection<? extends K> keys) {
    return KeyHashing.filterNew(keys, this::addEach);
  }

  /**
   * Returns adds and removals that take part in a transaction of the caller: they commit and roll
   * back with it. {@link TransactionalWrites} says what that means for others who add to this
   * filter.
   *
   * <p>The other methods that add run in their own transaction, on a connection of the data source.
   * Use this method for keys that must be recorded if and only if other rows are: a key that was
   * added by {@link #add} stays recorded when the caller rolls back.
   *
   * <p>While the transaction is open, do not call the other methods in its thread: a plain add
   * would wait for a lock that only this thread can release, and a lookup perhaps for the last
   * connection of the pool, until the timeout of the filter.
   *
   * @param transaction a connection to the schema of the filter, not in autocommit mode: one that
   *     the caller opened, or the one of the transaction of a framework, for example from Spring's
   *     {@code DataSourceUtils.getConnection}. The caller commits, rolls back and closes it
   * @return adds for this one transaction
   * @throws io.github.slotbloom.error.FilterClosedException if this filter was closed
   */
  TransactionalWrites<K> within(Connection transaction);

  /** Writes rows in a transaction. */
  @FunctionalInterface
  interface Work<X extends Exception> {

    /**
     * Does the work.
     *
     * @param transaction not in autocommit mode; whoever called this commits, rolls back and closes
     *     it
     * @throws X if the work cannot be done; then it is rolled back
     */
    void in(Connection transaction) throws X;
  }

  /**
   * Does work once for a key: the work and the key are committed in one transaction, or neither is.
   * A key that is known already is answered at once. Otherwise the work is done, and the key is
   * added last, since others who add to this filter wait from then on until the commit. If another
   * one was faster, the work is rolled back: it must write through the connection that it is given,
   * and nowhere else, with statements that can be rolled back, and pass on each {@link
   * SQLException}.
   *
   * <p>If this method throws, call it again, as a message is delivered again: a transaction whose
   * outcome was not known was committed if the key is seen then.
   *
   * @param <X> what the work may throw
   * @param dataSource hands out connections to the schema of the filter that are in no transaction
   *     yet. This method begins one, at the isolation level READ COMMITTED, and ends it
   * @param key as for {@link #add}
   * @param work what to do if the key is new
   * @return true if the key was new, and the work is committed; false if nothing was done
   * @throws X if the work threw it; nothing is stored
   * @throws SQLException if the transaction could not begin or end
   * @throws io.github.slotbloom.error.TransactionStateException if the work ended the transaction,
   *     so that the key was not added; or if the data source handed out a connection with an open
   *     transaction, which continues. A transaction that has run no statement yet cannot be
   *     detected: use a data source that hands out separate connections
   * @throws io.github.slotbloom.error.FilterUnavailableException if the database cannot be asked
   *     whether the key is known, whatever {@link FilterOptions#whenUnavailable} says
   * @throws io.github.slotbloom.error.SlotBloomException as {@link TransactionalWrites#add} does;
   *     nothing is stored
   */
  <X extends Exception> boolean once(DataSource dataSource, K key, Work<X> work)
      throws X, SQLException;

  /**
   * Does work once for the key of an event, as {@link #once(DataSource, Object, Work)} does, unless
   * the event happened so long ago that the work may have been done before.
   *
   * @param <X> what the work may throw
   * @param dataSource as for other keys
   * @param key as for {@link #add}
   * @param eventTime when the event happened, the same each time the key is offered
   * @param work what to do if the key is new
   * @return NEW if the work is committed; otherwise nothing was done
   * @throws X if the work threw it; nothing is stored
   * @throws SQLException if the transaction could not begin or end
   * @throws io.github.slotbloom.error.SlotBloomException as for other keys, and as {@link #offer}
   *     does
   */
  <X extends Exception> Offered once(DataSource dataSource, K key, Instant eventTime, Work<X> work)
      throws X, SQLException;

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
   * Adds the key of an event, unless the event happened so long ago that it is impossible to tell
   * whether the key was added before and has expired. So a consumer of messages processes each
   * message once, however late it is delivered again: process it if the answer is NEW, skip it if
   * it is SEEN, and set it aside if it is EXPIRED. A filter whose keys never expire takes any time,
   * and answers as {@link #add} does.
   *
   * <p>The time is compared with the database clock, and a difference of up to {@link
   * io.github.slotbloom.core.Window#tolerance} does no harm. The answer is EXPIRED if the event
   * happened longer ago than the window is long, less that tolerance, and the key is not in the
   * window.
   *
   * @param key not null; its hashed form has at most 1 MiB
   * @param eventTime when the event happened, the same each time the key is offered
   * @return what is known of the key; as for {@link #add}, it is durable
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
   * Returns true if the filter has a key and an exact source of the keys confirms it. The source is
   * queried only if the filter may have the key, and if it says no, that is reported as a
   * {@linkplain #reportFalsePositives false positive}.
   *
   * @param key not null; its hashed form has at most 1 MiB
   * @param source tells whether a key exists, for example by a query of the table of all keys
   * @return false if the key was certainly not added, or the source does not have it
   * @throws io.github.slotbloom.error.SlotBloomException as {@link #mightContain} does; exceptions
   *     of the source are passed on
   */
  default boolean contains(K key, Predicate<? super K> source) {
    if (!mightContain(key)) {
      return false;
    }
    boolean there = source.test(key);
    if (!there) {
      reportFalsePositives(List.of(key));
    }
    return there;
  }

  /**
   * Reports false positives: keys that were answered yes or "seen" and were never added. The
   * observed false positive rate is computed from these reports: see {@link
   * io.github.slotbloom.report.FilterUsage#observedFalsePositiveRate}. Report either all false
   * positives or none; {@link #contains} and {@link LookupGuard} report all of them. With a mirror
   * this method does not access the database.
   *
   * @param keys any number of keys, none of them null
   * @return for each key, true if the report was counted, in the order of the keys; false if the
   *     filter does not take the key for a member, or if that is unknown because the database
   *     cannot be reached
   * @throws io.github.slotbloom.error.InvalidKeyException if a key is one that cannot be stored;
   *     then none is counted
   * @throws io.github.slotbloom.error.FilterClosedException if this filter was closed
   */
  boolean[] reportFalsePositives(List<? extends K> keys);

  /**
   * {@return how this process has used the filter since it opened it, and what it holds in memory}
   * Does not access the database. Also works after the filter was closed.
   */
  ProcessStatistics statistics();

  /**
   * Returns this filter as a block list, from which single keys can be rescued. Can be called any
   * number of times: all block lists of one filter, in all processes, are the same.
   *
   * @return the block list; it is closed with this filter
   */
  BlockList<K> blockList();

  /**
   * Ends the use by this object. The last of those that share the filter in this process ({@link
   * SlotBloom#open}) waits for all queued adds, then releases the memory. Closing it again does
   * nothing.
   */
  @Override
  void close();
}
