package io.github.slotbloom;

import io.github.slotbloom.core.WhenFull;
import io.github.slotbloom.core.Window;
import java.time.Instant;
import java.util.Optional;

/**
 * The parameters and counts of one filter, read from the catalog at one moment. No slot is counted,
 * so this takes a query or two for a filter of any size. {@link FilterInfo} has what the bits tell.
 * Immutable.
 *
 * <p>Only this library implements it; later versions may tell more.
 */
public interface FilterStatus {

  /** {@return number of the filter, never used twice in a database} */
  long id();

  /** {@return its name} */
  String name();

  /**
   * {@return id of its key type: {@code text}, {@code bytes}, {@code long} or {@code custom:...}}
   */
  String keyType();

  /** {@return true if its error rate leaves room for later generations, so that it can grow} */
  boolean growable();

  /** {@return true if keys can be removed} */
  boolean removable();

  /** {@return how long keys are found; empty if they never expire} */
  Optional<Window> window();

  /** {@return the treatment of new keys beyond the capacity} */
  WhenFull whenFull();

  /**
   * {@return total number of keys that the generations were made for; of a window as in {@link
   * FilterInfo#capacity}}
   */
  long capacity();

  /** {@return target error rate of the whole filter at capacity} */
  double falsePositiveRate();

  /** {@return total size of the bit arrays, m} */
  long bits();

  /** {@return number of bit arrays, at least 1} */
  int generations();

  /** {@return as {@link FilterInfo#keysAdded}} */
  long keysAdded();

  /** {@return as {@link FilterInfo#keysRemoved}} */
  long keysRemoved();

  /** {@return the number of keys in the filter, as {@link FilterInfo#keys}} */
  long keys();

  /** {@return the part of the capacity that is used, as {@link FilterInfo#used}} */
  double used();

  /** {@return true if at least 80 % of the {@linkplain #used capacity} is used} */
  default boolean nearlyFull() {
    return used() >= FilterInfo.NEARLY_FULL;
  }

  /**
   * {@return true if it expired, so that nobody can use it; it can still be {@linkplain
   * FilterAdmin#expireAt brought back}}
   */
  boolean expired();

  /** {@return when the filter was reserved} */
  Instant createdAt();

  /** {@return when it expires, by the clock of the database; empty if it never does} */
  Optional<Instant> expiresAt();
}
