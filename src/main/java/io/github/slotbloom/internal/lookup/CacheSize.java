package io.github.slotbloom.internal.lookup;

import io.github.slotbloom.error.InvalidParameterException;
import java.time.Duration;

/**
 * How much a cache keeps.
 *
 * @param entries the most keys
 * @param duration how long a key stays
 */
public record CacheSize(long entries, Duration duration) {

  /** Checks both. */
  public CacheSize {
    if (entries < 1) {
      throw new InvalidParameterException(
          "A cache must hold at least one key, but its size is " + entries + ".");
    }
    if (duration.isNegative() || duration.isZero()) {
      throw new InvalidParameterException(
          "A cache must keep keys for a positive duration, but it is " + duration + ".");
    }
  }
}
