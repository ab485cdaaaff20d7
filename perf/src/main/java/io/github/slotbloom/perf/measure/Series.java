package io.github.slotbloom.perf.measure;

import java.util.Arrays;

/**
 * The figures of one contestant, one per round.
 *
 * @param durability the part of an answer that survives a crash
 */
public record Series(String name, String durability, double[] values) {

  /** Returns true if this is a way to use our filter rather than a peer. */
  public boolean isOurs() {
    return name.startsWith("Slotbloom") || name.startsWith("slotbloom");
  }

  /**
   * Returns how many times as large as its least figure the greatest is, without the outer quarters
   * of them, which a few disturbed rounds may make up.
   */
  double unevenness() {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int outer = sorted.length / 4;
    return sorted[sorted.length - 1 - outer] / sorted[outer];
  }

  public Spread spread() {
    return Spread.of(values);
  }
}
