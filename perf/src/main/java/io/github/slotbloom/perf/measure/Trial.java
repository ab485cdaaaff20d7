package io.github.slotbloom.perf.measure;

/** The turn of one contestant in one round. */
@FunctionalInterface
public interface Trial {

  /**
   * Does the work, checks the result, and returns the figure.
   *
   * @param round the number of the round, from 0, including warm-ups
   */
  double run(int round) throws Exception;

  /** A trial that returns two figures. */
  @FunctionalInterface
  interface OfTwo {
    Two run(int round) throws Exception;
  }

  /** The two figures of one trial. */
  record Two(double first, double second) {}
}
