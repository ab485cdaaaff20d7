package io.github.slotbloom.spring.boot;

import io.github.slotbloom.WhenUnavailable;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.WhenFull;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * One filter. Each property that is left out has the default of the library.
 *
 * @param name Name of the filter in the database, if it is not that of the bean.
 * @param capacity Distinct keys that the filter is made for; of a window, those in its whole
 *     length. Required.
 * @param falsePositiveRate Share of keys that were never added but are taken for members when the
 *     filter is full. The default is 0.001.
 * @param keyType Type of the keys, and so of the bean: text (String), long (Long) or bytes
 *     (byte[]).
 * @param layout Where the bits of a key lie. The default is blocked.
 * @param hash Hash function of the keys. The default is xxh3-64. For keys that others choose, take
 *     siphash-24.
 * @param onFull What becomes of new keys beyond the capacity. The default is grow.
 * @param fixed Whether the first generation gets the whole error rate, so that the filter can never
 *     grow.
 * @param retainHashes Whether the database keeps the hashes of all keys.
 * @param removablePercent Share of removed keys, in percent of the capacity, from which on a filter
 *     that retains hashes is built anew. Without it, keys cannot be removed.
 * @param window How long keys are found. Without it, they never expire.
 * @param freshness Age that the data behind a "no" may have: strict, or a duration. More than 2s
 *     counts as 2s.
 * @param mirror Whether the bits are held in memory.
 * @param timeout Longest time that a call may take, from 1ms to 10m. The default is 30s.
 * @param queueCapacity Keys that may wait to be written. The default is 262144.
 * @param backlogLimit Journal entries that may wait to be folded before adds are slowed down. The
 *     default is 65536.
 * @param whenUnavailable What a question does that needs the database while it cannot be reached.
 *     The default is throw.
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
    @Nullable WhenFull onFull,
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
   * @param length Time for which a key is found at least. Required.
   * @param buckets Number of buckets in that time, from 1 to 96. With more of them keys go more
   *     promptly, and questions take longer.
   * @param renew Whether adding a key again lets it live as long as if it had been added now.
   */
  public record WindowProperties(
      @Nullable Duration length,
      @DefaultValue("8") int buckets,
      @DefaultValue("false") boolean renew) {}
}
