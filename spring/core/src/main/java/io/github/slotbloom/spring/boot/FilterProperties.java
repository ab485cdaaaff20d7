package io.github.slotbloom.spring.boot;

import io.github.slotbloom.WhenUnavailable;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.OnFull;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * One filter. Properties that are not set have the library's defaults.
 *
 * @param name Name of the filter in the database. The default is the name of the bean.
 * @param capacity Distinct keys that the filter is sized for; of a window, those in its whole
 *     length. Required.
 * @param falsePositiveRate Share of keys that were never added but are taken for members when the
 *     filter is full. The default is 0.001.
 * @param keyType Type of the keys, and so of the bean: text (String), long (Long) or bytes
 *     (byte[]).
 * @param layout Layout of the bits: blocked (default) or standard.
 * @param hash Hash function of the keys. The default is xxh3-64. Use siphash-24 or sha256 for keys
 *     that others choose.
 * @param onFull What happens to new keys beyond the capacity: grow (default), refuse or degrade.
 * @param fixed Whether the first generation gets the whole false positive rate. The filter can then
 *     never grow.
 * @param retainHashes Whether the database keeps the hashes of all keys.
 * @param removablePercent Percentage of the capacity at which a filter that retains hashes is
 *     rebuilt, once that many keys are removed. Without it, keys cannot be removed.
 * @param window How long keys are found. Without it, they never expire.
 * @param freshness How old the data behind a "no" may be: strict, or a duration. More than 2s
 *     counts as 2s.
 * @param mirror Whether the bits are held in memory.
 * @param timeout Longest time that a call can take, from 1ms to 10m. The default is 30s.
 * @param queueCapacity Number of keys that can wait to be written. The default is 262144.
 * @param backlogLimit Number of journal entries that can wait to be folded before adds are held
 *     back. The default is 65536.
 * @param whenUnavailable What a lookup does if it needs the database and cannot reach it: throw
 *     (default) or answer-maybe.
 * @param warnAt Share of the capacity at which the filter counts as nearly full. The default is
 *     0.8.
 */
public record FilterProperties(
    @Nullable String name,
    @Nullable Long capacity,
    @Nullable Double falsePositiveRate,
    @DefaultValue("text") FilterKeyType keyType,
    @Nullable Layout layout,
    @Nullable HashAlgorithm hash,
    @Nullable OnFull onFull,
    @DefaultValue("false") boolean fixed,
    @DefaultValue("false") boolean retainHashes,
    @Nullable Integer removablePercent,
    @Nullable WindowProperties window,
    @DefaultValue("strict") String freshness,
    @DefaultValue("true") boolean mirror,
    @Nullable Duration timeout,
    @Nullable Integer queueCapacity,
    @Nullable Integer backlogLimit,
    @Nullable WhenUnavailable whenUnavailable,
    @Nullable Double warnAt) {

  /**
   * How long keys of a filter are found.
   *
   * @param length Minimum time for which a key is found. Required.
   * @param buckets Number of buckets in that time, from 1 to 96. With more buckets, keys expire
   *     more promptly and lookups take longer.
   * @param renew Whether adding a key again restarts its lifetime.
   */
  public record WindowProperties(
      @Nullable Duration length,
      @DefaultValue("8") int buckets,
      @DefaultValue("false") boolean renew) {}
}
