package io.github.slotbloom.perf.measure;

/** Which way a figure is to go. */
public enum Better {
  /** Rates. */
  HIGHER {
    @Override
    double timesAsGood(double ours, double theirs) {
      return ours / theirs;
    }
  },
  /** Times and sizes. */
  LOWER {
    @Override
    double timesAsGood(double ours, double theirs) {
      return theirs / ours;
    }
  };

  /** More than 1 where ours is the better one. */
  abstract double timesAsGood(double ours, double theirs);
}
