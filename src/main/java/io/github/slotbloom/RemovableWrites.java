package io.github.slotbloom;

import java.util.Collections;
import java.util.List;

/**
 * Adds keys to a filter, and removes them, within a transaction of the caller. All that {@link
 * TransactionalWrites} says of adds holds for removals. Created by {@link RemovableFilter#within}.
 *
 * @param <K> the type of the keys
 */
public interface RemovableWrites<K> extends TransactionalWrites<K> {

  /**
   * Removes a key, as {@link RemovableFilter#remove} does. The removal commits and rolls back with
   * the transaction.
   *
   * @param key not null; its hashed form has at most 1 MiB
   * @return true if this call took the key out
   * @throws io.github.slotbloom.error.RemovedKeysFullException if as many keys are removed as may
   *     be before the filter is rebuilt
   */
  default boolean remove(K key) {
    return removeEach(Collections.singletonList(key))[0];
  }

  /**
   * Removes keys in order and returns for each of them what {@link #remove} returns.
   *
   * @param keys any number of keys, none of them null
   * @return one answer per key, in the order of the keys
   */
  boolean[] removeEach(List<? extends K> keys);
}
