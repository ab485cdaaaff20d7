package io.github.slotbloom.report;

/**
 * The current false positive rate of a filter and its target.
 *
 * @param current the probability that a key which was never added counts as a member, from 0 to 1
 * @param target the false positive rate that the filter was created with, 0 to 1
 */
public record CurrentFalsePositiveRate(double current, double target) {

  /** The factor above which a false positive rate counts as far above its target. */
  public static final int FAR_ABOVE = 10;

  /** {@return true if the current rate is more than {@value #FAR_ABOVE} times the target} */
  public boolean isFarAboveTarget() {
    return current > FAR_ABOVE * target;
  }
}
