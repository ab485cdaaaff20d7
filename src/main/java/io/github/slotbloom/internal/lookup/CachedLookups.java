package io.github.slotbloom.internal.lookup;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.slotbloom.error.InvalidKeyException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks keys up and keeps the results, those that were found apart from those that were not. Of
 * several callers that ask for a key at once, one looks it up and the others wait for it.
 *
 * <p>Each caller looks up all of its own keys before it waits for those of others, so callers never
 * wait for each other in a circle. A result is kept only if the key was not invalidated since its
 * lookup began: what the lookup saw may be older than the change. Thread-safe.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public final class CachedLookups<K, V> {

  /**
   * What a cache knows of a key.
   *
   * @param value empty if the key is not there
   */
  private record Kept<V>(Optional<V> value) {}

  private final @Nullable Cache<K, V> present;
  private final @Nullable Cache<K, Boolean> absent;
  private final ConcurrentMap<K, RunningLookup<V>> running = new ConcurrentHashMap<>();
  private final LookupTally tally;

  /**
   * Creates empty caches.
   *
   * @param present how many values are kept; null for none
   * @param absent how many keys are kept that were not found; null for none
   * @param nanoTime tells the age of what is kept
   */
  public CachedLookups(
      @Nullable CacheSize present,
      @Nullable CacheSize absent,
      LongSupplier nanoTime,
      LookupTally tally) {
    this.present = present == null ? null : cache(present, nanoTime);
    this.absent = absent == null ? null : cache(absent, nanoTime);
    this.tally = tally;
  }

  private static <A, B> Cache<A, B> cache(CacheSize size, LongSupplier nanoTime) {
    return Caffeine.newBuilder()
        .maximumSize(size.entries())
        .expireAfterWrite(size.duration())
        .ticker(nanoTime::getAsLong)
        // Otherwise the common pool would do the little work there is.
        .executor(Runnable::run)
        .build();
  }

  /**
   * Returns the values of keys, in their order.
   *
   * @param keys no key twice
   * @param lookup looks up those that are not known; called once at most
   */
  public Map<K, V> findAll(
      Collection<? extends K> keys, Function<? super List<K>, ? extends Map<K, V>> lookup) {
    Map<K, RunningLookup<V>> own = new LinkedHashMap<>();
    Map<K, RunningLookup<V>> all = new LinkedHashMap<>();
    try {
      for (K key : keys) {
        all.put(key, begin(key, own));
      }
      if (!own.isEmpty()) {
        Map<K, V> found = lookup.apply(List.copyOf(own.keySet()));
        own.forEach((key, begun) -> end(key, begun, Optional.ofNullable(found.get(key))));
      }
    } catch (RuntimeException e) {
      failAll(own, e);
      throw e;
    } catch (Error e) {
      failAll(own, new IllegalStateException("The lookup of another caller failed: " + e, e));
      throw e;
    }
    Map<K, V> values = new LinkedHashMap<>();
    all.forEach((key, one) -> one.await().ifPresent(value -> values.put(key, value)));
    return values;
  }

  private void failAll(Map<K, RunningLookup<V>> own, RuntimeException failure) {
    own.forEach(
        (key, begun) -> {
          running.remove(key, begun);
          begun.fail(failure);
        });
  }

  /**
   * Returns a lookup that has ended, since the result is known, or that is under way.
   *
   * @param own receives it if the caller has to look the key up
   */
  private RunningLookup<V> begin(K key, Map<K, RunningLookup<V>> own) {
    if (key.getClass().isArray()) {
      throw new InvalidKeyException(
          "Caches compare keys with equals, and arrays are never equal. Use the guard without"
              + " caches, or a filter with keys of another type.");
    }
    RunningLookup<V> begun = new RunningLookup<>();
    Kept<V> kept = kept(key);
    if (kept == null) {
      RunningLookup<V> other = running.putIfAbsent(key, begun);
      if (other != null) {
        other.requireOther();
        tally.joined();
        return other;
      }
      own.put(key, begun);
      // A lookup may have ended since.
      kept = kept(key);
      if (kept == null) {
        return begun;
      }
      own.remove(key);
      running.remove(key, begun);
    }
    tally.cached(kept.value().isPresent());
    begun.end(kept.value());
    return begun;
  }

  /** Returns what is kept of a key; null if nothing is. */
  private @Nullable Kept<V> kept(K key) {
    V value = present == null ? null : present.getIfPresent(key);
    boolean known = value != null || (absent != null && absent.getIfPresent(key) != null);
    return known ? new Kept<>(Optional.ofNullable(value)) : null;
  }

  /** Keeps a result, unless the key was invalidated since the lookup began. */
  private void end(K key, RunningLookup<V> begun, Optional<V> result) {
    running.computeIfPresent(
        key,
        (same, current) -> {
          if (current != begun) {
            return current;
          }
          keep(key, result);
          return null;
        });
    begun.end(result);
  }

  private void keep(K key, Optional<V> result) {
    if (result.isPresent() && present != null) {
      present.put(key, result.get());
    } else if (result.isEmpty() && absent != null) {
      absent.put(key, true);
    }
  }

  /** Forgets a key. The result of a lookup that is under way is not kept. */
  public void invalidate(K key) {
    running.compute(
        key,
        (same, current) -> {
          if (present != null) {
            present.invalidate(key);
          }
          if (absent != null) {
            absent.invalidate(key);
          }
          return null;
        });
  }
}
