package io.github.slotbloom.perf.measure;

/**
 * The figures of one contestant, one a round.
 *
 * @param durability what of an answer outlives a crash
 */
public record Series(String name, String durability, double[] values) {

  /** Whether it is a way to use the filter that is measured, not a peer of it. */
  public boolean isOurs() {
    return name.startsWith("Slotbloom") || name.startsWith("slotbloom");
  }

  public Spread spread() {
    return Spread.of(values);
  }
}
