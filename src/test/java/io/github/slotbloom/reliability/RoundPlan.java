package io.github.slotbloom.reliability;

import io.github.slotbloom.core.Window;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One storm over one filter.
 *
 * @param capacity of the filter when it is made
 * @param rate of false positives at its capacity
 * @param retainHashes whether the filter can be replaced out of its own journal
 * @param removablePercent how much of the capacity may be removed; zero if keys cannot be
 * @param binaryLog false for a server without one: a crash may take back what lookups saw
 * @param faults what the nemesis chooses from
 * @param length how long faults happen
 * @param window how long keys are found; null if they never expire
 */
record RoundPlan(
    String name,
    long capacity,
    double rate,
    boolean retainHashes,
    int removablePercent,
    boolean binaryLog,
    List<Fault> faults,
    Duration length,
    @Nullable Window window) {

  RoundPlan(
      String name,
      long capacity,
      double rate,
      boolean retainHashes,
      int removablePercent,
      boolean binaryLog,
      List<Fault> faults,
      Duration length) {
    this(name, capacity, rate, retainHashes, removablePercent, binaryLog, faults, length, null);
  }

  /** So large and exact that no false positive is to be expected. */
  static final long ROOMY = 300_000;

  static final double EXACT = 1e-12;

  /**
   * So large that false positives are found, though the filter grows automatically and keeps to it.
   */
  static final double LOOSE = 0.2;

  /** So that no removal is refused. */
  static final int ALL = 100;

  /**
   * So that a filter that can is rebuilt automatically, and some removals are refused until then.
   */
  static final int FEW = 1;

  boolean removable() {
    return removablePercent > 0;
  }

  /**
   * Fewer keys than such a storm adds on a slow machine, so that the filter grows automatically.
   */
  static long tight(Duration length) {
    return 200 * length.toSeconds();
  }
}
