package io.github.slotbloom.perf.peer;

import orestes.bloomfilter.CountingBloomFilter;
import orestes.bloomfilter.FilterBuilder;
import orestes.bloomfilter.HashProvider.HashMethod;

/**
 * The counting filter of Orestes, whose last release is of July 2022, with counters of 4 bits. It
 * keeps a Bloom filter beside the counters, so it takes 5 bits for each. The hash is the fastest of
 * those that it calls good.
 */
public final class OrestesCounting implements MemoryFilter {

  private static final int COUNTER_BITS = 4;

  private final CountingBloomFilter<String> filter;

  public OrestesCounting(long capacity, double falsePositiveRate) {
    filter =
        new FilterBuilder(Math.toIntExact(capacity), falsePositiveRate)
            .countingBits(COUNTER_BITS)
            .hashFunction(HashMethod.Murmur3)
            .buildCountingBloomFilter();
  }

  @Override
  public boolean add(String key) {
    return filter.add(key);
  }

  @Override
  public boolean mightContain(String key) {
    return filter.contains(key);
  }

  /**
   * Asks first. Its own removal counts down whatever it finds, and so loses other keys when a key
   * is removed that was never added. Its answer says whether the key is still there.
   */
  @Override
  public boolean remove(String key) {
    boolean there = filter.contains(key);
    if (there) {
      filter.remove(key);
    }
    return there;
  }
}
