package io.github.slotbloom.perf.measure;

/** The direction in which a figure improves. */
public enum Better {
  /** For rates. */
  HIGHER {
    @Override
    double timesAsGood(double ours, double theirs) {
      return ours / theirs;
    }
  },
  /** For times and sizes. */
  LOWER {
    @Override
    double timesAsGood(double ours, double theirs) {
      return theirs / ours;
    }
  };

  /** Returns how many times as good ours is; more than 1 if ours is better. */
  abstract double timesAsGood(double ours, double theirs);
}
