package io.github.slotbloom;

import io.github.slotbloom.core.OnFull;
import io.github.slotbloom.core.Window;
import java.time.Instant;
import java.util.Optional;

/**
 * The parameters and counts of one filter, read from the catalog at one moment. No slots are
 * counted, so this takes one or two queries for a filter of any size. {@link FilterInfo} adds what
 * the bits show. Immutable.
 *
 * <p>Only this library implements it; later versions may tell more.
 */
public interface FilterStatus {

  /** The share of its capacity at which a filter becomes {@link #nearlyFull()}. */
  double NEARLY_FULL = 0.8;

  /** {@return number of the filter, never used twice in a database} */
  long id();

  /** {@return its name} */
  String name();

  /**
   * {@return id of its key type: {@code text}, {@code bytes}, {@code long} or {@code custom:...}}
   */
  String keyType();

  /**
   * {@return true if its false positive rate leaves room for later generations} A window begins
   * them automatically; {@link FilterAdmin#grow} grows any other filter.
   */
  boolean growable();

  /** {@return true if keys can be removed} */
  boolean removable();

  /** {@return how long keys are found; empty if they never expire} */
  Optional<Window> window();

  /** {@return the treatment of new keys beyond the capacity} */
  OnFull onFull();

  /**
   * {@return the number of keys that the filter is sized for; of a window, in its whole length, if
   * all buckets were sized like the current one}
   */
  long capacity();

  /** {@return target false positive rate of the whole filter at capacity} */
  double falsePositiveRate();

  /** {@return the number of active generations} 0 if all keys of a window expired. */
  int generationCount();

  /** {@return the total size of the bit arrays of all active generations, m} */
  long bits();

  /**
   * {@return keys that were reported as new since the filter was created or cleared; without those
   * that were removed, if the filter retains hashes, and without those that expired}
   */
  long keysAdded();

  /**
   * {@return removed keys whose bits are still set; of a window the keys that were removed in all
   * buckets that have not expired; 0 if keys cannot be removed}
   */
  long keysRemoved();

  /**
   * {@return the number of keys in the filter: those that were reported as new, without those that
   * were removed} It is too small by the keys that were never reported as new because they are
   * false positives, and by those that were removed without having been added. Of a window it is
   * the number of keys that were new in the buckets that have not expired, removed or not.
   */
  long keys();

  /**
   * {@return the part of the capacity that is used; more than 1 if the filter is overfull} Of a
   * window it is the part of the current bucket, since the others take no more keys.
   */
  double used();

  /**
   * {@return true if at least 80 % of the {@linkplain #used capacity} is used} Raise its capacity
   * then, unless it grows automatically.
   */
  default boolean nearlyFull() {
    return used() >= NEARLY_FULL;
  }

  /**
   * {@return true if it expired, so that no client can use it; it can still be {@linkplain
   * FilterAdmin#expireAt restored}}
   */
  boolean expired();

  /** {@return when the filter was created} */
  Instant createdAt();

  /** {@return when it expires, by the database clock; empty if it never does} */
  Optional<Instant> expiresAt();
}
