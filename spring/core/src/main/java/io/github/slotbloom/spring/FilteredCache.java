package io.github.slotbloom.spring;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.error.InvalidKeyException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.Cache;

/**
 * A cache with a filter before it. A key that the filter lacks has the value null, whatever the
 * cache has.
 *
 * @param <K> the type of the filter's keys
 */
final class FilteredCache<K> implements Cache {

  private static final ValueWrapper ABSENT = () -> null;

  private final Cache cache;
  private final BloomFilter<K> filter;

  FilteredCache(Cache cache, BloomFilter<K> filter) {
    this.cache = cache;
    this.filter = filter;
  }

  @SuppressWarnings("unchecked") // the filter throws if it is of another type
  private K key(Object key) {
    return (K) key;
  }

  private boolean isAbsent(Object key) {
    try {
      return !filter.mightContain(key(key));
    } catch (ClassCastException e) {
      throw new InvalidKeyException(
          ("The key %2$s for cache %1$s has the type %3$s, which filter %4$s does not take. Use a"
                  + " @Cacheable key of the filter's key type.")
              .formatted(cache.getName(), key, key.getClass().getName(), filter.name()));
    }
  }

  private <T> @Nullable T told(Object key, @Nullable T loaded) {
    if (loaded == null) {
      filter.reportFalsePositives(List.of(key(key)));
    }
    return loaded;
  }

  @Override
  public String getName() {
    return cache.getName();
  }

  @Override
  public Object getNativeCache() {
    return cache.getNativeCache();
  }

  @Override
  public @Nullable ValueWrapper get(Object key) {
    return isAbsent(key) ? ABSENT : cache.get(key);
  }

  @Override
  public <T> @Nullable T get(Object key, @Nullable Class<T> type) {
    return isAbsent(key) ? null : cache.get(key, type);
  }

  @Override
  public <T> @Nullable T get(Object key, Callable<T> loader) {
    return isAbsent(key) ? null : cache.get(key, () -> told(key, loader.call()));
  }

  @Override
  public @Nullable CompletableFuture<?> retrieve(Object key) {
    return isAbsent(key) ? CompletableFuture.completedFuture(ABSENT) : cache.retrieve(key);
  }

  @Override
  public <T> CompletableFuture<T> retrieve(Object key, Supplier<CompletableFuture<T>> loader) {
    return isAbsent(key)
        ? CompletableFuture.completedFuture(null)
        : cache.retrieve(key, () -> loader.get().thenApply(loaded -> told(key, loaded)));
  }

  @Override
  public void put(Object key, @Nullable Object value) {
    cache.put(key, told(key, value));
  }

  @Override
  public @Nullable ValueWrapper putIfAbsent(Object key, @Nullable Object value) {
    return cache.putIfAbsent(key, value);
  }

  @Override
  public void evict(Object key) {
    cache.evict(key);
  }

  @Override
  public boolean evictIfPresent(Object key) {
    return cache.evictIfPresent(key);
  }

  @Override
  public void clear() {
    cache.clear();
  }

  @Override
  public boolean invalidate() {
    return cache.invalidate();
  }
}
