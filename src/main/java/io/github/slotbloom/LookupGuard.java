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
 * Looks up in a table, a cache or a service what may be there, and spares it questions about all
 * else. Every key that is there must have been added to the filter before it was put there.
 *
 * <p>What the filter takes for a member and the lookup does not find is reported to the filter as a
 * false positive, so its error rate is observed. Keys that were taken out of the table count as
 * such, since no key can be taken out of the filter.
 *
 * <p>Thread-safe if the lookup is. It keeps nothing, and closes nothing.
 *
 * @param <K> the type of the keys
 * @param <V> what is found
 */
public final class LookupGuard<K, V> {

  private final BloomFilter<K> filter;
  private final Function<? super List<K>, ? extends Map<K, V>> lookup;

  /**
   * @param filter holds every key that can be found
   * @param lookup finds the values of keys, of which there is one at least, none twice; what it
   *     does not find is missing in the map. The map must know the keys that it was asked for as
   *     they were handed over: arrays by identity
   */
  public LookupGuard(BloomFilter<K> filter, Function<? super List<K>, ? extends Map<K, V>> lookup) {
    this.filter = Objects.requireNonNull(filter, "filter");
    this.lookup = Objects.requireNonNull(lookup, "lookup");
  }

  /**
   * Looks a value up, unless the filter knows that there is none.
   *
   * @param key as for {@link BloomFilter#mightContain}
   * @return what was found
   * @throws io.github.slotbloom.error.SlotBloomException as {@link BloomFilter#mightContain} does;
   *     what the lookup throws comes through as well
   */
  public Optional<V> find(K key) {
    return Optional.ofNullable(findAll(List.of(key)).get(key));
  }

  /**
   * Looks values up, except those of which the filter knows that they are not there: one call of
   * the lookup at most.
   *
   * @param keys as for {@link BloomFilter#mightContainEach}
   * @return what was found, in the order of the keys
   * @throws io.github.slotbloom.error.SlotBloomException as {@link BloomFilter#mightContainEach}
   *     does; what the lookup throws comes through as well
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
