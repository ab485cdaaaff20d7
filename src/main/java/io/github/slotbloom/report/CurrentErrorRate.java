package io.github.slotbloom.report;

/**
 * The current error rate of a filter and its target.
 *
 * @param current the probability that a key which was never added is taken for a member, from 0 to
 *     1
 * @param target the false positive rate that the filter was reserved for, 0 to 1
 */
public record CurrentErrorRate(double current, double target) {

  /** The factor above which an error rate counts as far above its target. */
  public static final int FAR_ABOVE = 10;

  /** {@return true if the current rate is more than {@value #FAR_ABOVE} times the target} */
  public boolean isFarAboveTarget() {
    return current > FAR_ABOVE * target;
  }
}
