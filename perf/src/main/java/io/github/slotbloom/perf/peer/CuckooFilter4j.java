package io.github.slotbloom.perf.peer;

import com.github.mgunlogson.cuckoofilter4j.CuckooFilter;
import com.github.mgunlogson.cuckoofilter4j.Utils.Algorithm;
import com.google.common.hash.Funnels;
import java.nio.charset.StandardCharsets;

/**
 * The cuckoo filter of CuckooFilter4J, whose last release is of January 2017. Its number of buckets
 * is a power of two. It answers three times as many absent keys as it is asked to, and at an error
 * rate of 1e-9 it does not find some keys that were added. The hash is the faster of those that
 * serve every false positive rate.
 */
public final class CuckooFilter4j implements MemoryFilter {

  private final CuckooFilter<CharSequence> filter;

  public CuckooFilter4j(long capacity, double falsePositiveRate) {
    filter =
        new CuckooFilter.Builder<CharSequence>(
                Funnels.stringFunnel(StandardCharsets.UTF_8), capacity)
            .withFalsePositiveRate(falsePositiveRate)
            .withHashAlgorithm(Algorithm.Murmur3_128)
            .build();
  }

  @Override
  public boolean add(String key) {
    if (!filter.put(key)) {
      throw new IllegalStateException("CuckooFilter4J is full.");
    }
    return true;
  }

  @Override
  public boolean mightContain(String key) {
    return filter.mightContain(key);
  }

  @Override
  public boolean remove(String key) {
    return filter.delete(key);
  }
}
