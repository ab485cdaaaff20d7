package io.github.slotbloom.report;

/**
 * How often a filter errs now, and how often it should at most.
 *
 * @param current the probability that a key which was never added is taken for a member, 0 to 1
 * @param target the false positive rate that the filter was reserved for, 0 to 1
 */
public record CurrentErrorRate(double current, double target) {

  /** From so many times the target on, an error rate is far above it. */
  public static final int FAR_ABOVE = 10;

  /** {@return whether it is more than {@value #FAR_ABOVE} times the target} */
  public boolean isFarAboveTarget() {
    return current > FAR_ABOVE * target;
  }
}
