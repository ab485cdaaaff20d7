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
 *     BloomFilter#addEach} of several transactions, a fold or a clear may take it for each. The
 *     callback executor of {@link SlotBloom} may take as long again to complete the future of a
 *     {@link BloomFilter#addAsync}; then, or at once if it throws, a thread of the library does so:
 *     what is recorded is told
 * @param queueCapacity how many keys may wait to be written before adds are held back
 * @param backlogLimit how many journal entries may wait to be folded before adds are held back
 * @param whenUnavailable what a question answers when the database cannot be reached
 * @param warnAt the share of its capacity from which on a filter counts as nearly full, 0.8 by
 *     default
 */
public record FilterOptions(
    Freshness freshness,
    boolean mirrored,
    Duration timeout,
    int queueCapacity,
    int backlogLimit,
    WhenUnavailable whenUnavailable,
    double warnAt) {

  /** From how much of its capacity on a filter counts as nearly full, unless chosen otherwise. */
  public static final double DEFAULT_WARN_AT = FilterInfo.NEARLY_FULL;

  private static final FilterOptions DEFAULTS =
      new FilterOptions(
          Freshness.strict(),
          true,
          Duration.ofSeconds(30),
          8 * BloomFilter.MAX_KEYS_PER_TRANSACTION,
          1 << 16,
          WhenUnavailable.THROW,
          DEFAULT_WARN_AT);

  /**
   * Checks the numbers.
   *
   * @param freshness how old the knowledge behind a no may be
   * @param mirrored whether the bits are held in memory
   * @param timeout the most time a call may take
   * @param queueCapacity how many keys may wait to be written
   * @param backlogLimit how many journal entries may wait to be folded
   * @param whenUnavailable what a question answers when the database cannot be reached
   * @param warnAt the share of its capacity from which on a filter counts as nearly full
   * @throws InvalidParameterException if the time-out is outside 1 ms to 10 minutes, the queue has
   *     no room for one transaction of {@link BloomFilter#MAX_KEYS_PER_TRANSACTION} keys, the
   *     backlog none for an entry, or the share is not above 0 and at most 1
   */
  public FilterOptions {
    if (timeout.compareTo(Duration.ofMillis(1)) < 0
        || timeout.compareTo(Duration.ofMinutes(10)) > 0) {
      throw new InvalidParameterException(
          "The time-out must lie between 1 ms and 10 minutes, but is " + timeout + ".");
    }
    if (queueCapacity < BloomFilter.MAX_KEYS_PER_TRANSACTION) {
      throw new InvalidParameterException(
          "The queue must have room for one transaction of "
              + BloomFilter.MAX_KEYS_PER_TRANSACTION
              + " keys at least, but its capacity is "
              + queueCapacity
              + ".");
    }
    if (backlogLimit < 1) {
      throw new InvalidParameterException(
          "The backlog must have room for one journal entry at least, but its limit is "
              + backlogLimit
              + ".");
    }
    if (!(warnAt > 0 && warnAt <= 1)) {
      throw new InvalidParameterException(
          "The share of the capacity at which to warn must be above 0 and at most 1, but is "
              + warnAt
              + ".");
    }
  }

  /**
   * {@return strict, with a mirror, 30 s, room for eight full transactions in the queue and for
   * 65,536 entries to be folded, throwing while the database is away, warning at 0.8 of the
   * capacity}
   */
  public static FilterOptions defaults() {
    return DEFAULTS;
  }

  /**
   * The same with another freshness.
   *
   * @param freshness {@link Freshness#strict()} or {@link Freshness#bounded}
   * @return a changed copy
   */
  public FilterOptions freshness(Freshness freshness) {
    return new FilterOptions(
        freshness, mirrored, timeout, queueCapacity, backlogLimit, whenUnavailable, warnAt);
  }

  /**
   * The same without a mirror: for short-lived processes, and for filters larger than memory.
   *
   * @return a changed copy
   */
  public FilterOptions withoutMirror() {
    return new FilterOptions(
        freshness, false, timeout, queueCapacity, backlogLimit, whenUnavailable, warnAt);
  }

  /**
   * The same with another time-out.
   *
   * @param timeout from 1 ms to 10 minutes
   * @return a changed copy
   * @throws InvalidParameterException if it is outside that range
   */
  public FilterOptions timeout(Duration timeout) {
    return new FilterOptions(
        freshness, mirrored, timeout, queueCapacity, backlogLimit, whenUnavailable, warnAt);
  }

  /**
   * The same with room for another number of waiting keys. When there is no room, {@link
   * BloomFilter#add} waits and {@link BloomFilter#addAsync} throws.
   *
   * @param keys {@link BloomFilter#MAX_KEYS_PER_TRANSACTION} at least
   * @return a changed copy
   * @throws InvalidParameterException if it is less
   */
  public FilterOptions queueCapacity(int keys) {
    return new FilterOptions(
        freshness, mirrored, timeout, keys, backlogLimit, whenUnavailable, warnAt);
  }

  /**
   * The same with another limit to what waits to be folded into the slots. Who adds faster than
   * that is done for long is held back: {@link BloomFilter#add} waits, as for a place in the queue.
   * From half of it on adds are slowed down, so that few ever wait. A larger backlog merges more,
   * so each key costs less; but whoever opens the filter reads it, and so does every call without a
   * mirror. An entry holds the new keys of one transaction, 8,192 at most, in 8 bytes each.
   *
   * @param entries 1 at least
   * @return a changed copy
   * @throws InvalidParameterException if it is less
   */
  public FilterOptions backlogLimit(int entries) {
    return new FilterOptions(
        freshness, mirrored, timeout, queueCapacity, entries, whenUnavailable, warnAt);
  }

  /**
   * The same with another answer to questions while the database is away.
   *
   * @param whenUnavailable whether they throw or answer "maybe"
   * @return a changed copy
   */
  public FilterOptions whenUnavailable(WhenUnavailable whenUnavailable) {
    return new FilterOptions(
        freshness, mirrored, timeout, queueCapacity, backlogLimit, whenUnavailable, warnAt);
  }

  /**
   * The same with another share of its capacity from which on a filter counts as nearly full. Then
   * {@link io.github.slotbloom.SlotBloomListener#nearlyFull} is told, a warning is logged, and a
   * filter that grows by itself gets its next slot table ready.
   *
   * @param share above 0, and 1 at most
   * @return a changed copy
   * @throws InvalidParameterException if it is outside that range
   */
  public FilterOptions warnAt(double share) {
    return new FilterOptions(
        freshness, mirrored, timeout, queueCapacity, backlogLimit, whenUnavailable, share);
  }
}
