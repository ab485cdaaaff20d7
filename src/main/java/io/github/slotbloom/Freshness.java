package io.github.slotbloom;

import io.github.slotbloom.error.InvalidParameterException;
import java.time.Duration;

/**
 * The greatest age that the data about adds of other processes may have when a lookup is answered
 * with no. Immutable.
 *
 * <p>No answer is older than the lease of the filter, which is two seconds, however large the bound
 * is.
 *
 * @param bound the greatest age; with zero, each such answer queries the database
 */
public record Freshness(Duration bound) {

  private static final Freshness STRICT = new Freshness(Duration.ZERO);

  /**
   * Creates a bound.
   *
   * @param bound the greatest age, zero or more
   * @throws InvalidParameterException if it is negative
   */
  public Freshness {
    if (bound.isNegative()) {
      throw new InvalidParameterException(
          "The freshness bound must not be negative, but is " + bound + ".");
    }
  }

  /**
   * Requires every answer to include all adds that returned before the lookup began. The answer
   * "no" costs one read of the database, which several lookups share.
   *
   * @return a bound of zero
   */
  public static Freshness strict() {
    return STRICT;
  }

  /**
   * Allows the answer "no" without a read while the last read of the changes of other processes
   * began less than {@code bound} ago.
   *
   * @param bound zero or more; values above two seconds have the effect of two seconds
   * @return that bound
   * @throws InvalidParameterException if it is negative
   */
  public static Freshness bounded(Duration bound) {
    return new Freshness(bound);
  }
}
