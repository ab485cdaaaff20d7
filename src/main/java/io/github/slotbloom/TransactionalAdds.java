package io.github.slotbloom;

import java.util.Collection;
import java.util.List;

/**
 * Adds to a filter that take part in a transaction of the caller's: they commit with it and are
 * rolled back with it, and so with the rows that it writes beside them. Made by {@link
 * BloomFilter#within}.
 *
 * <p><b>Until it commits</b>, a key that was added here is seen by this transaction alone. Nobody
 * else is told of it, neither here nor in another process; after a rollback it is new again. The
 * answers, too, hold only if the transaction commits.
 *
 * <p><b>Add last, right before the commit.</b> The first key that this process does not know
 * already, or any key while the filter is being replaced, takes the lock that orders the adds to
 * the filter, and the transaction holds it until it ends, even if the call failed: everyone else
 * who adds to the filter waits that long, the thread itself included if it adds to the {@link
 * BloomFilter} meanwhile. Should its host vanish, that is until the server drops the connection,
 * after the session's {@code wait_timeout}. Questions never wait. A transaction that adds to
 * several filters should do so in the same order everywhere, or deadlocks are to be expected.
 *
 * <p><b>Each call is all or nothing</b>, within a savepoint of its own, {@code slotbloom_add}, and
 * is never repeated here. It changes no setting of the session and never commits, rolls back, or
 * closes anything. A call takes at most the time-out of the {@link FilterOptions}, and waits for
 * locks no longer than the session's {@code innodb_lock_wait_timeout}. If it fails, what the
 * transaction did before stays, unless the message says that it is lost as a whole:
 *
 * <ul>
 *   <li>{@link io.github.slotbloom.error.AddFailedException} if the keys could not be added; none
 *       of them is recorded. The message says whether they can be added again or the whole
 *       transaction must be repeated.
 *   <li>{@link io.github.slotbloom.error.TransactionRequiredException} if the connection is in
 *       autocommit mode
 *   <li>{@link io.github.slotbloom.error.FilterNotFoundException} if the schema that the connection
 *       leads to does not hold this very filter
 *   <li>{@link io.github.slotbloom.error.InvalidKeyException} if a key cannot be stored
 *   <li>{@link io.github.slotbloom.error.FilterClosedException} if the filter was closed
 * </ul>
 *
 * <p>Not thread-safe, as little as the connection. Keep it for all adds of a transaction: it
 * remembers what the transaction has added, which would otherwise be read again with each call.
 *
 * @param <K> the type of the keys
 */
public interface TransactionalAdds<K> {

  /**
   * Adds a key, and tells whether it was new. A key that the process knows waits for nobody who
   * adds, and nobody who adds waits for it; but a replacement of the filter waits for this
   * transaction to end, so that its source has what is written here.
   *
   * @param key never null, at most 1 MiB as it is hashed
   * @return true if neither the filter nor this transaction had the key before; false if one of
   *     them had, or if it is a false positive
   */
  boolean add(K key);

  /**
   * Adds keys in order, and tells of each whether it was new; the second of two equal keys is not.
   *
   * @param keys any number, none of them null
   * @return one answer per key, in the order of the keys
   */
  boolean[] addEach(List<? extends K> keys);

  /**
   * Adds keys like {@link #addEach} and keeps those that were new.
   *
   * @param keys none of them null; added in the order of the collection's iterator
   * @return the new ones in that order, each once
   */
  List<K> filterNew(Collection<? extends K> keys);
}
