package io.github.slotbloom;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * Looks up keys in a table, a cache or a service, and skips the lookup of keys that are certainly
 * not there. Every key that is there must have been added to the filter before it was put there.
 *
 * <p>If the filter takes a key for a member and the lookup does not find it, the key is reported to
 * the filter as a false positive, so that its error rate is observed. Keys that are gone from the
 * table and still in the filter count as false positives too.
 *
 * <p>A filter that was reserved with {@link FilterSpec.Builder#removable} can lose such keys:
 * delete the row and call {@link TransactionalWrites#remove} of {@link BloomFilter#within} in one
 * transaction. Nobody sees one without the other, so their order makes no difference to answers. Do
 * the deletion first: it shows which rows this transaction took, and the removal holds the lock of
 * the filter until the commit.
 *
 * <ul>
 *   <li>Remove only keys whose last row this transaction deleted. If it deleted none, another one
 *       may be inserting the row at this moment, and its key would be lost.
 *   <li>Do not use two transactions. If the key is removed first, its row is not found meanwhile.
 *       If the row is deleted first and somebody inserts it again before the key is removed, the
 *       key is lost for good.
 * </ul>
 *
 * <p>Thread-safe if the lookup is. A guard keeps nothing in memory and closes nothing.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public final class LookupGuard<K, V> {

  private final BloomFilter<K> filter;
  private final Function<? super List<K>, ? extends Map<K, V>> lookup;

  /**
   * Creates a guard.
   *
   * @param filter a filter that holds every key that can be found
   * @param lookup finds the values of a list of keys, which is not empty and has no key twice. Keys
   *     that are not found are missing in the returned map. The map must use the very keys of the
   *     list: arrays are compared by identity
   */
  public LookupGuard(BloomFilter<K> filter, Function<? super List<K>, ? extends Map<K, V>> lookup) {
    this.filter = Objects.requireNonNull(filter, "filter");
    this.lookup = Objects.requireNonNull(lookup, "lookup");
  }

  /**
   * Looks up a value, unless the filter knows that there is none.
   *
   * @param key as for {@link BloomFilter#mightContain}
   * @return the value, or empty if there is none
   * @throws io.github.slotbloom.error.SlotBloomException as {@link BloomFilter#mightContain} does;
   *     exceptions of the lookup are passed on
   */
  public Optional<V> find(K key) {
    return Optional.ofNullable(findAll(List.of(key)).get(key));
  }

  /**
   * Looks up several values, except those of keys that the filter knows are not there. Calls the
   * lookup at most once.
   *
   * @param keys as for {@link BloomFilter#mightContainEach}
   * @return the values that were found, in the order of the keys
   * @throws io.github.slotbloom.error.SlotBloomException as {@link BloomFilter#mightContainEach}
   *     does; exceptions of the lookup are passed on
   */
  public Map<K, V> findAll(Collection<? extends K> keys) {
    List<K> distinct = List.copyOf(new LinkedHashSet<>(keys));
    boolean[] maybe = filter.mightContainEach(distinct);
    List<K> wanted = new ArrayList<>();
    for (int i = 0; i < maybe.length; i++) {
      if (maybe[i]) {
        wanted.add(distinct.get(i));
      }
    }
    if (wanted.isEmpty()) {
      return Map.of();
    }
    Map<K, V> found = lookup.apply(wanted);
    Map<K, V> values = new LinkedHashMap<>();
    List<K> falsePositives = new ArrayList<>();
    for (K key : wanted) {
      V value = found.get(key);
      if (value == null) {
        falsePositives.add(key);
      } else {
        values.put(key, value);
      }
    }
    filter.reportFalsePositiveEach(falsePositives);
    return values;
  }
}
