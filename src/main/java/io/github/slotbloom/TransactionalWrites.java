package io.github.slotbloom;

import io.github.slotbloom.internal.opened.KeyHashing;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

/**
 * Adds keys to a filter within a transaction of the caller. The keys commit and roll back together
 * with the other rows that the transaction writes. Created by {@link BloomFilter#within}.
 *
 * <p><b>Until the transaction commits</b>, only this transaction sees the keys that were added
 * here. Other callers do not see them, neither in this process nor in another one. After a rollback
 * the keys are new again. The answers are valid only if the transaction commits.
 *
 * <p><b>Add last, right before the commit.</b> The lock that orders the adds to the filter is taken
 * by the first key that this process does not know yet, or by any key while the filter is being
 * replaced. The transaction holds the lock until it ends, even if the call failed. All other adds
 * to the filter wait that long, including adds of the same thread to the {@link BloomFilter}. If
 * the host of the transaction vanishes, the lock is held until the server drops the connection
 * after the session's {@code wait_timeout}. Lookups never wait. Transactions that add to several
 * filters should use the same order of filters everywhere; otherwise expect deadlocks.
 *
 * <p><b>Each call is all or nothing</b>, within a savepoint of its own, {@code slotbloom_add}, and
 * is never repeated by the library. It does not change the settings of the session, and it never
 * commits or rolls back the transaction or closes the connection. A call takes at most the timeout
 * of the {@link FilterOptions}, and waits for locks no longer than the session's {@code
 * innodb_lock_wait_timeout}. If a call fails, the earlier work of the transaction stays, unless the
 * message says that the whole transaction is lost:
 *
 * <ul>
 *   <li>{@link io.github.slotbloom.error.WriteFailedException} if the keys could not be added; none
 *       of them is recorded. The message says whether they can be added again or the whole
 *       transaction must be repeated.
 *   <li>{@link io.github.slotbloom.error.TransactionStateException} if the connection is in
 *       autocommit mode
 *   <li>{@link io.github.slotbloom.error.FilterNotFoundException} if the schema of the connection
 *       does not hold this very filter
 *   <li>{@link io.github.slotbloom.error.InvalidKeyException} if a key cannot be stored
 *   <li>{@link io.github.slotbloom.error.FilterClosedException} if the filter was closed
 * </ul>
 *
 * <p>Not thread-safe, like the connection. Use one instance for all adds of a transaction: it
 * remembers the keys that the transaction has added, which must otherwise be read again in each
 * call.
 *
 * @param <K> the type of the keys
 */
public interface TransactionalWrites<K> {

  /**
   * Adds a key and returns true if it was new. If this process already knows the key, the call does
   * not wait for other adds, and other adds do not wait for it. But a replacement of the filter
   * waits until this transaction ends, so that the source of the replacement has the rows that are
   * written here.
   *
   * @param key not null; its hashed form has at most 1 MiB
   * @return true if neither the filter nor this transaction had the key before; false if one of
   *     them had, or if it is a false positive
   */
  default boolean add(K key) {
    return addEach(Collections.singletonList(key))[0];
  }

  /**
   * Adds keys in order and returns for each of them whether it was new. The second of two equal
   * keys is not new.
   *
   * @param keys any number of keys, none of them null
   * @return one answer per key, in the order of the keys
   */
  boolean[] addEach(List<? extends K> keys);

  /**
   * Adds keys like {@link #addEach} and returns those that were new.
   *
   * @param keys none of them null; added in the order of the collection's iterator
   * @return the new keys in that order, each once
   */
  default List<K> filterNew(Collection<? extends K> keys) {
    return KeyHashing.filterNew(keys, this::addEach);
  }

  /**
   * Adds the key of an event, as {@link BloomFilter#offer} does.
   *
   * @param key not null; its hashed form has at most 1 MiB
   * @param eventTime when the event happened, the same each time the key is offered
   * @return what is known of the key, if the transaction commits
   * @throws io.github.slotbloom.error.InvalidParameterException if the event is still to come
   */
  Offered offer(K key, Instant eventTime);

  /**
   * {@return true if the filter, which grows automatically, lacks room for all keys that were added
   * here} It cannot grow within a transaction, and keys beyond its capacity raise its false
   * positive rate for good. A transaction that adds many keys can be rolled back then, and repeated
   * after {@link FilterAdmin#makeRoom}.
   */
  boolean outgrown();

  /**
   * Tells that the transaction has committed, so that the keys that were new here count as new in
   * {@link io.github.slotbloom.report.FilterUsage}. Nothing else depends on it, and no key counts
   * twice. Keys that were seen count when they are added. Does not access the database. Also works
   * after the filter was closed.
   */
  void committed();
}
