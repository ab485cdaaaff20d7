package io.github.slotbloom.testing;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Fill;
import io.github.slotbloom.internal.bits.FillCount;
import io.github.slotbloom.internal.bits.Probe;
import java.util.SplittableRandom;

/** A filter of one generation in a plain array. */
public final class TestFilter {
  private final BloomParameters parameters;
  private final Probe probe;
  private final long[] slots;

  public TestFilter(BloomParameters parameters) {
    this.parameters = parameters;
    this.probe = Probe.of(parameters);
    this.slots = new long[Math.toIntExact(parameters.slots())];
  }

  /** Returns a filter that holds a number of random keys. */
  public static TestFilter ofRandomKeys(
      BloomParameters parameters, long keys, SplittableRandom random) {
    TestFilter filter = new TestFilter(parameters);
    for (long i = 0; i < keys; i++) {
      filter.add(random.nextLong());
    }
    return filter;
  }

  public void add(long hash) {
    probe.forEachMask(hash, (slot, mask) -> slots[(int) slot] |= mask);
  }

  public boolean isMember(long hash) {
    return probe.isMember(hash, slot -> slots[(int) slot]);
  }

  public void markMembers(long[] hashes, int from, int to, boolean[] members) {
    probe.markMembers(hashes, from, to, slot -> slots[(int) slot], members);
  }

  /** Asks for random keys that were never added, and returns the number of false positives. */
  public long falsePositives(long queries, SplittableRandom random) {
    long members = 0;
    for (long i = 0; i < queries; i++) {
      if (isMember(random.nextLong())) {
        members++;
      }
    }
    return members;
  }

  public Fill fill() {
    return FillCount.of(parameters, slot -> slots[(int) slot]);
  }
}
