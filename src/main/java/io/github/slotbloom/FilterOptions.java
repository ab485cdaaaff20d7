package io.github.slotbloom;

import io.github.slotbloom.error.InvalidParameterException;
import java.time.Duration;
import java.util.Objects;

/**
 * Settings for the use of a filter by one process. They are not stored in the database. Begin with
 * {@link #defaults}, since later versions may have more settings; each method that changes one
 * returns a changed copy.
 *
 * @param freshness the greatest age of the data behind the answer "no"; strict by default
 * @param mirrored if true, the bits are held in memory; if false, each call reads the slots that it
 *     needs
 * @param timeout the longest time that a call may take, from 1 ms to 10 minutes, 30 s by default.
 *     Each step of opening a filter waits about that long for a database that cannot be used. An
 *     {@link BloomFilter#addEach} of several transactions, a fold or a clear may take that long for
 *     each transaction. The callback executor of {@link SlotBloom} may take as long again to
 *     complete the future of a {@link BloomFilter#addAsync}. After that, or at once if the executor
 *     throws, a thread of the library completes it, so the result of a recorded add is always
 *     reported
 * @param queueCapacity the number of keys that may wait to be written before adds are held back
 * @param backlogLimit the number of journal entries that may wait to be folded before adds are held
 *     back
 * @param whenUnavailable the answer to lookups when the database cannot be reached
 * @param warnAt the share of its capacity at which a filter counts as nearly full, 0.8 by default
 */
public record FilterOptions(
    Freshness freshness,
    boolean mirrored,
    Duration timeout,
    int queueCapacity,
    int backlogLimit,
    WhenUnavailable whenUnavailable,
    double warnAt) {

  /** The default share of its capacity at which a filter counts as nearly full. */
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
   * @param freshness strict or bounded
   * @param mirrored false without a mirror
   * @param timeout from 1 ms to 10 minutes
   * @param queueCapacity at least {@link BloomFilter#MAX_KEYS_PER_TRANSACTION}
   * @param backlogLimit at least 1
   * @param whenUnavailable throw an exception or answer "maybe"
   * @param warnAt above 0 and at most 1
   * @throws InvalidParameterException if one of them is outside its range
   */
  public FilterOptions {
    Objects.requireNonNull(freshness, "freshness");
    Objects.requireNonNull(timeout, "timeout");
    Objects.requireNonNull(whenUnavailable, "whenUnavailable");
    if (timeout.compareTo(Duration.ofMillis(1)) < 0
        || timeout.compareTo(Duration.ofMinutes(10)) > 0) {
      throw new InvalidParameterException(
          "The timeout must be between 1 ms and 10 minutes, but is " + timeout + ".");
    }
    if (queueCapacity < BloomFilter.MAX_KEYS_PER_TRANSACTION) {
      throw new InvalidParameterException(
          "The queue must hold at least one transaction of %s keys, but its capacity is %s."
              .formatted(BloomFilter.MAX_KEYS_PER_TRANSACTION, queueCapacity));
    }
    if (backlogLimit < 1) {
      throw new InvalidParameterException(
          "The backlog must hold at least one journal entry, but its limit is "
              + backlogLimit
              + ".");
    }
    if (!(warnAt > 0 && warnAt <= 1)) {
      throw new InvalidParameterException(
          "warnAt is a share of the capacity above 0 and at most 1, but is " + warnAt + ".");
    }
  }

  /**
   * {@return the default settings: strict, with a mirror, a timeout of 30 s, room for eight full
   * transactions in the queue and for 65,536 entries in the backlog, an exception while the
   * database cannot be reached, and a warning at 0.8 of the capacity}
   */
  public static FilterOptions defaults() {
    return DEFAULTS;
  }

  /**
   * Returns a copy with another freshness.
   *
   * @param freshness {@link Freshness#strict()} or {@link Freshness#bounded}
   * @return a changed copy
   */
  public FilterOptions freshness(Freshness freshness) {
    return new FilterOptions(
        freshness, mirrored, timeout, queueCapacity, backlogLimit, whenUnavailable, warnAt);
  }

  /**
   * Returns a copy without a mirror, for short-lived processes and for filters larger than memory.
   *
   * @return a changed copy
   */
  public FilterOptions withoutMirror() {
    return new FilterOptions(
        freshness, false, timeout, queueCapacity, backlogLimit, whenUnavailable, warnAt);
  }

  /**
   * Returns a copy with another timeout.
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
   * Returns a copy with room for another number of waiting keys. When the queue is full, {@link
   * BloomFilter#add} waits and {@link BloomFilter#addAsync} throws.
   *
   * @param keys at least {@link BloomFilter#MAX_KEYS_PER_TRANSACTION}
   * @return a changed copy
   * @throws InvalidParameterException if it is less
   */
  public FilterOptions queueCapacity(int keys) {
    return new FilterOptions(
        freshness, mirrored, timeout, keys, backlogLimit, whenUnavailable, warnAt);
  }

  /**
   * Returns a copy with another limit for the backlog: the journal entries that wait to be folded
   * into the slots. When the backlog is full, {@link BloomFilter#add} waits, as it does for a place
   * in the queue. Adds are slowed down once the backlog is half full, so few of them ever have to
   * wait. With a larger backlog, each fold merges more entries, so each key costs less. But the
   * backlog is read whenever the filter is opened, and by every call without a mirror. An entry
   * holds the new keys of one transaction, at most 8,192, in 8 bytes each.
   *
   * @param entries at least 1
   * @return a changed copy
   * @throws InvalidParameterException if it is less
   */
  public FilterOptions backlogLimit(int entries) {
    return new FilterOptions(
        freshness, mirrored, timeout, queueCapacity, entries, whenUnavailable, warnAt);
  }

  /**
   * Returns a copy with another answer to lookups while the database cannot be reached.
   *
   * @param whenUnavailable throw an exception or answer "maybe"
   * @return a changed copy
   */
  public FilterOptions whenUnavailable(WhenUnavailable whenUnavailable) {
    return new FilterOptions(
        freshness, mirrored, timeout, queueCapacity, backlogLimit, whenUnavailable, warnAt);
  }

  /**
   * Returns a copy with another share of its capacity at which a filter counts as nearly full. At
   * that share {@link SlotBloomEvent.NearlyFull} is sent, a warning is logged, and a filter that
   * grows automatically prepares its next slot table.
   *
   * @param share above 0 and at most 1
   * @return a changed copy
   * @throws InvalidParameterException if it is outside that range
   */
  public FilterOptions warnAt(double share) {
    return new FilterOptions(
        freshness, mirrored, timeout, queueCapacity, backlogLimit, whenUnavailable, share);
  }
}
