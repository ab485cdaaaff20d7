package io.github.slotbloom.spring;

import io.github.slotbloom.BloomFilter;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;

/**
 * Puts filters before caches, so that {@code @Cacheable} methods are not called for keys that are
 * certainly not there: a filter that lacks a key answers with null in place of its cache. Every key
 * that the method can find must have been added to the filter before.
 *
 * <p>A key that a filter takes for a member goes to its cache, and then to the method. If that
 * returns null, the null is cached where the cache takes nulls, and reported to the filter as a
 * false positive. Let such a cache expire: a row that comes later is not seen while the null is
 * cached.
 *
 * <p>The key of the cache must be of the type of the filter's keys: name it, as in
 * {@code @Cacheable(cacheNames = "users", key = "#id")}. Thread-safe if the caches are.
 */
public final class FilteredCacheManager implements CacheManager {

  private final CacheManager caches;
  private final Map<String, BloomFilter<?>> filters;
  private final Map<Cache, Cache> filtered = new ConcurrentHashMap<>();

  /**
   * Creates a manager.
   *
   * @param caches the caches
   * @param filters by the name of a cache, the filter before it; other caches stay as they are
   */
  public FilteredCacheManager(CacheManager caches, Map<String, ? extends BloomFilter<?>> filters) {
    this.caches = caches;
    this.filters = Map.copyOf(filters);
  }

  @Override
  public @Nullable Cache getCache(String name) {
    Cache cache = caches.getCache(name);
    BloomFilter<?> filter = filters.get(name);
    return cache == null || filter == null
        ? cache
        : filtered.computeIfAbsent(cache, each -> new FilteredCache<>(each, filter));
  }

  @Override
  public Collection<String> getCacheNames() {
    return caches.getCacheNames();
  }
}
