package io.github.slotbloom;

import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.internal.lookup.CacheSize;
import io.github.slotbloom.internal.lookup.CachedLookups;
import io.github.slotbloom.internal.lookup.LookupTally;
import io.github.slotbloom.report.LookupStatistics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks up keys in a table, a cache or a service, and skips the lookup of keys that are certainly
 * not there. Every key that is there must have been added to the filter before it was put there.
 *
 * <p>If a key counts as a member and the lookup does not find it, the key is reported to the filter
 * as a false positive, so that its false positive rate is observed. Keys that are gone from the
 * table and still in the filter count as false positives too.
 *
 * <p>A filter that was reserved with {@link FilterSpec.Builder#buildRemovable()} can lose such
 * keys: delete the row and call {@link RemovableWrites#remove} of {@link RemovableFilter#within} in
 * one transaction. Nobody sees one without the other, so their order makes no difference to
 * answers. Do the deletion first: it shows which rows this transaction took, and the removal holds
 * the lock of the filter until the commit.
 *
 * <ul>
 *   <li>Remove only keys whose last row this transaction deleted. If it deleted none, another one
 *       may be inserting the row at this moment, and its key would be lost.
 *   <li>Do not use two transactions. If the key is removed first, its row is not found meanwhile.
 *       If the row is deleted first and somebody inserts it again before the key is removed, the
 *       key is lost for good.
 * </ul>
 *
 * <p>A guard that is made by its {@linkplain #LookupGuard constructor} keeps nothing in memory, and
 * each call looks its keys up itself. A guard that is {@linkplain #builder built} with caches asks
 * the filter, then the caches, then the lookup:
 *
 * <ul>
 *   <li>A value that was found stays in the cache. A key that was not found, though the filter took
 *       it for a member, stays in the null cache. So keys that nobody has cannot fill the null
 *       cache: the filter keeps most of them away before.
 *   <li>Of several callers that ask for a key at once, one looks it up and the others take its
 *       result, however long that takes: give the lookup a timeout. If the lookup throws, all of
 *       them get its exception.
 *   <li>The lookup must read what is committed at the moment. One that reads in a transaction of
 *       its caller may see an older state, or rows that are rolled back later, and all would get
 *       that from the cache.
 *   <li>After a row was inserted, changed or deleted and that is committed, call {@link
 *       #invalidate}. Lookups that begin afterward see the change, and the result of one that began
 *       before is not kept. Caches of other processes do not hear of it: they answer as before for
 *       as long as they keep the key. Choose durations that your readers can bear.
 *   <li>The caches need Caffeine on the class path. Keys are compared by equals, so arrays cannot
 *       be keys.
 * </ul>
 *
 * <p>Thread-safe if the lookup is. A guard closes nothing.
 *
 * @param <K> the type of the keys
 * @param <V> the type of the values
 */
public final class LookupGuard<K, V> {

  private final BloomFilter<K> filter;
  private final Function<? super List<K>, ? extends Map<K, V>> lookup;
  private final LookupTally tally = new LookupTally();

  /** Null without caches, since Caffeine may be missing then. */
  private final @Nullable CachedLookups<K, V> caches;

  /**
   * Creates a guard without caches.
   *
   * @param filter a filter that holds every key that can be found
   * @param lookup finds the values of a list of keys, which is not empty and has no key twice. Keys
   *     that are not found are missing in the returned map. The map must use the very keys of the
   *     list: arrays are compared by identity
   */
  public LookupGuard(BloomFilter<K> filter, Function<? super List<K>, ? extends Map<K, V>> lookup) {
    this(new Builder<>(filter, lookup));
  }

  private LookupGuard(Builder<K, V> builder) {
    filter = builder.filter;
    lookup = builder.lookup;
    caches = builder.caches(tally);
  }

  /** Looks up one value. */
  @FunctionalInterface
  public interface Loader<K, V> {

    /**
     * Looks up one value.
     *
     * @param key a key that may be there
     * @return its value, or null if there is none
     * @throws Exception if that cannot be told; callers of the guard get it as it is if it is
     *     unchecked, and else as the cause of a {@link CompletionException}
     */
    @Nullable V load(K key) throws Exception;
  }

  /**
   * Returns a builder of a guard that looks up one key after the other.
   *
   * @param <K> the type of the keys
   * @param <V> the type of the values
   * @param filter as for the {@linkplain #LookupGuard constructor}
   * @param loader finds the value of one key
   * @return a builder without caches yet
   */
  public static <K, V> Builder<K, V> loading(BloomFilter<K> filter, Loader<K, V> loader) {
    return builder(filter, keys -> loadEach(loader, keys));
  }

  private static <K, V> Map<K, V> loadEach(Loader<K, V> loader, List<K> keys) {
    Map<K, V> found = new LinkedHashMap<>();
    for (K key : keys) {
      try {
        V value = loader.load(key);
        if (value != null) {
          found.put(key, value);
        }
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) {
        if (e instanceof InterruptedException) {
          Thread.currentThread().interrupt();
        }
        throw new CompletionException(e);
      }
    }
    return found;
  }

  /**
   * Returns a builder of a guard with caches.
   *
   * @param <K> the type of the keys
   * @param <V> the type of the values
   * @param filter as for the {@linkplain #LookupGuard constructor}
   * @param lookup as for the constructor. It must not call the guard
   * @return a builder without caches yet
   */
  public static <K, V> Builder<K, V> builder(
      BloomFilter<K> filter, Function<? super List<K>, ? extends Map<K, V>> lookup) {
    return new Builder<>(filter, lookup);
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
    tally.asked(distinct.size(), wanted.size());
    if (wanted.isEmpty()) {
      return Map.of();
    }
    return caches == null ? lookUp(wanted) : caches.findAll(wanted, this::lookUp);
  }

  private Map<K, V> lookUp(List<K> wanted) {
    tally.lookedUp(wanted.size());
    Map<K, V> found = lookup.apply(wanted);
    if (found == null) {
      throw new IllegalStateException(
          "The lookup returned null. It must return a map, an empty one if it finds nothing.");
    }
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
    tally.ended(values.size(), falsePositives.size());
    filter.reportFalsePositives(falsePositives);
    return values;
  }

  /**
   * Forgets what the caches of this process have of a key. Call it after the row was inserted,
   * changed or deleted and that is committed. Does nothing without caches.
   *
   * @param key need not be in a cache
   */
  public void invalidate(K key) {
    if (caches != null) {
      caches.invalidate(key);
    }
  }

  /** {@return what became of the keys that were looked up through this guard} */
  public LookupStatistics statistics() {
    return tally.statistics();
  }

  /**
   * Builds a {@link LookupGuard}. Not thread-safe.
   *
   * @param <K> the type of the keys
   * @param <V> the type of the values
   */
  public static final class Builder<K, V> {
    private final BloomFilter<K> filter;
    private final Function<? super List<K>, ? extends Map<K, V>> lookup;
    private LongSupplier nanoTime = System::nanoTime;
    private @Nullable CacheSize cache;
    private @Nullable CacheSize nullCache;

    private Builder(BloomFilter<K> filter, Function<? super List<K>, ? extends Map<K, V>> lookup) {
      this.filter = Objects.requireNonNull(filter, "filter");
      this.lookup = Objects.requireNonNull(lookup, "lookup");
    }

    /**
     * Keeps values that were found.
     *
     * @param size the most values, at least 1
     * @param duration how long a value is kept, more than zero; so long an answer may be out of
     *     date in other processes
     * @return this
     * @throws io.github.slotbloom.error.InvalidParameterException if one is outside its range
     */
    public Builder<K, V> cache(long size, Duration duration) {
      cache = new CacheSize(size, duration);
      return this;
    }

    /**
     * Keeps keys that the filter took for members and that were not found.
     *
     * @param size the most keys, at least 1
     * @param duration how long a key is kept, more than zero; so long a new row may go unnoticed in
     *     other processes
     * @return this
     * @throws io.github.slotbloom.error.InvalidParameterException if one is outside its range
     */
    public Builder<K, V> nullCache(long size, Duration duration) {
      nullCache = new CacheSize(size, duration);
      return this;
    }

    /** Sets the clock by which keys grow old. */
    Builder<K, V> clock(LongSupplier nanos) {
      nanoTime = nanos;
      return this;
    }

    /**
     * Builds the guard.
     *
     * @return a guard; without caches if none was requested
     * @throws io.github.slotbloom.error.InvalidParameterException if caches were requested, and the
     *     class path lacks Caffeine
     */
    public LookupGuard<K, V> build() {
      return new LookupGuard<>(this);
    }

    private @Nullable CachedLookups<K, V> caches(LookupTally tally) {
      if (cache == null && nullCache == null) {
        return null;
      }
      try {
        return new CachedLookups<>(cache, nullCache, nanoTime, tally);
      } catch (NoClassDefFoundError e) {
        throw new InvalidParameterException(
            "The caches of a LookupGuard need Caffeine, which is missing from the class path ("
                + e.getMessage()
                + "). Add com.github.ben-manes.caffeine:caffeine, or build the guard without cache"
                + " and nullCache.");
      }
    }
  }
}
