package io.github.slotbloom;

import io.github.slotbloom.error.InvalidParameterException;
import java.time.Duration;

/**
 * How old the knowledge of what other processes added may be when a question is answered with no.
 *
 * <p>No answer is older than the lease of the filter, two seconds, however large the bound.
 *
 * @param bound the greatest age; zero asks the database each time
 */
public record Freshness(Duration bound) {

  private static final Freshness STRICT = new Freshness(Duration.ZERO);

  /**
   * Checks the bound.
   *
   * @param bound the greatest age
   * @throws InvalidParameterException if it is negative
   */
  public Freshness {
    if (bound.isNegative()) {
      throw new InvalidParameterException(
          "The freshness bound must not be negative, but is " + bound + ".");
    }
  }

  /**
   * Every add that returned before the question began counts. A question answered with no costs a
   * read, shared with others.
   *
   * @return a bound of zero
   */
  public static Freshness strict() {
    return STRICT;
  }

  /**
   * Answers no at once while the last read of what others wrote began less than {@code bound} ago.
   *
   * @param bound zero or more; more than two seconds is as good as two
   * @return that bound
   * @throws InvalidParameterException if it is negative
   */
  public static Freshness bounded(Duration bound) {
    return new Freshness(bound);
  }
}
