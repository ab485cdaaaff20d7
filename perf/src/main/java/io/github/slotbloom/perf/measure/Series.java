package io.github.slotbloom.perf.measure;

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

  public Spread spread() {
    return Spread.of(values);
  }
}
