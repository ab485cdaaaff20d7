package io.github.slotbloom.perf.measure;

/** One contestant's turn in one round. */
@FunctionalInterface
public interface Trial {

  /**
   * Does the work, checks what came of it, and tells the figure.
   *
   * @param round counts from 0, rounds of warming up included
   */
  double run(int round) throws Exception;

  /** A trial that tells two figures. */
  @FunctionalInterface
  interface OfTwo {
    Two run(int round) throws Exception;
  }

  /** Two figures of one trial. */
  record Two(double first, double second) {}
}
