package io.github.slotbloom;

import io.github.slotbloom.error.InvalidParameterException;
import java.time.Duration;

/**
 * How one process uses a filter. Nothing of this is stored. Immutable: each method returns a
 * changed copy.
 *
 * @param freshness how old the knowledge behind a no may be; strict by default
 * @param mirrored whether the bits are held in memory; without, each call reads the slots that it
 *     needs
 * @param timeout the most time a call may take, 30 s by default, 10 minutes at most; an {@link
 *     BloomFilter#addEach} of several transactions, a fold or a clear may take it for each
 * @param queueCapacity how many keys may wait to be written before adds are held back
 * @param whenUnavailable what a question answers when the database cannot be reached
 * @param whenFull what an add does that the filter has no room for
 */
public record FilterOptions(
    Freshness freshness,
    boolean mirrored,
    Duration timeout,
    int queueCapacity,
    WhenUnavailable whenUnavailable,
    WhenFull whenFull) {

  private static final FilterOptions DEFAULTS =
      new FilterOptions(
          Freshness.strict(),
          true,
          Duration.ofSeconds(30),
          8 * BloomFilter.MAX_KEYS_PER_TRANSACTION,
          WhenUnavailable.THROW,
          WhenFull.ADD);

  public FilterOptions {
    if (timeout.compareTo(Duration.ofMillis(1)) < 0
        || timeout.compareTo(Duration.ofMinutes(10)) > 0) {
      throw new InvalidParameterException(
          "The time-out must lie between 1 ms and 10 minutes, but is "
              + timeout.toMillis()
              + " ms.");
    }
    if (queueCapacity < BloomFilter.MAX_KEYS_PER_TRANSACTION) {
      throw new InvalidParameterException(
          "The queue must have room for one transaction of "
              + BloomFilter.MAX_KEYS_PER_TRANSACTION
              + " keys at least, but its capacity is "
              + queueCapacity
              + ".");
    }
  }

  /** Strict, with a mirror, 30 s. */
  public static FilterOptions defaults() {
    return DEFAULTS;
  }

  /** The same with another freshness. */
  public FilterOptions freshness(Freshness freshness) {
    return new FilterOptions(
        freshness, mirrored, timeout, queueCapacity, whenUnavailable, whenFull);
  }

  /** The same without a mirror: for short-lived processes, and for filters larger than memory. */
  public FilterOptions withoutMirror() {
    return new FilterOptions(freshness, false, timeout, queueCapacity, whenUnavailable, whenFull);
  }

  /** The same with another time-out, from 1 ms to 10 minutes. */
  public FilterOptions timeout(Duration timeout) {
    return new FilterOptions(
        freshness, mirrored, timeout, queueCapacity, whenUnavailable, whenFull);
  }

  /** The same with room for so many waiting keys. */
  public FilterOptions queueCapacity(int keys) {
    return new FilterOptions(freshness, mirrored, timeout, keys, whenUnavailable, whenFull);
  }

  /** The same with another answer to questions while the database is away. */
  public FilterOptions whenUnavailable(WhenUnavailable whenUnavailable) {
    return new FilterOptions(
        freshness, mirrored, timeout, queueCapacity, whenUnavailable, whenFull);
  }

  /** The same with another way to treat adds that the filter has no room for. */
  public FilterOptions whenFull(WhenFull whenFull) {
    return new FilterOptions(
        freshness, mirrored, timeout, queueCapacity, whenUnavailable, whenFull);
  }
}
