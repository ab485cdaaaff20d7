package io.github.slotbloom;

import java.sql.Connection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A {@link BloomFilter} from which keys can be removed. Every filter that was reserved by a {@link
 * FilterSpec.Removable} is opened as one, whatever it is opened by.
 *
 * @param <K> the type of the keys
 */
public interface RemovableFilter<K> extends BloomFilter<K> {

  /**
   * Removes a key. When this method returns, every strict lookup in every process finds the key
   * missing, until somebody adds it again. No other key is harmed, whether or not this one was ever
   * added.
   *
   * <p>The bits of a removed key stay set, so the filter has no more room than before until it is
   * rebuilt: see {@link FilterSpec.Builder#buildRemovable(int)}.
   *
   * @param key not null; its hashed form has at most 1 MiB
   * @return true if this call took the key out. Of several calls that remove a key at once, one is
   *     told so. If the filter retains hashes ({@link FilterSpec.Builder#retainHashes}), the answer
   *     is exact, up to keys with the same 64-bit hash. Otherwise it is also true for a false
   *     positive
   * @throws io.github.slotbloom.error.RemovedKeysFullException if as many keys are removed as may
   *     be before the filter is rebuilt
   * @throws io.github.slotbloom.error.WriteFailedException if it could not be removed; the
   *     exception says whether the key may be removed
   * @throws io.github.slotbloom.error.InvalidKeyException if the key is one that cannot be stored
   * @throws io.github.slotbloom.error.FilterClosedException if this filter was closed
   */
  default boolean remove(K key) {
    return removeEach(Collections.singletonList(key))[0];
  }

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
   * Removes a key without waiting, as {@link BloomFilter#addAsync} adds one. Calls of one thread
   * take effect in their order: a key that is added after it was removed is there.
   *
   * @param key not null; its hashed form has at most 1 MiB
   * @return a future that is completed once the removal is durable, with the answer that {@link
   *     #remove} would give. Canceling it does not bring the key back
   * @throws io.github.slotbloom.error.SlotBloomException at once if the key cannot be stored or the
   *     write queue is full
   */
  CompletableFuture<Boolean> removeAsync(K key);

  @Override
  RemovableWrites<K> within(Connection transaction);
}
