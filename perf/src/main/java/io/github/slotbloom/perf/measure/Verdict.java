package io.github.slotbloom.perf.measure;

/** How a goal fares. */
public enum Verdict {
  MET,
  MISSED,

  /** The figures of one side are so far apart that their ratio tells nothing. */
  DOUBTFUL
}
