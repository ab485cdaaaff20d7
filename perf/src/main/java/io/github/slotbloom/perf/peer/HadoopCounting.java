package io.github.slotbloom.perf.peer;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.Sizing;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.util.bloom.CountingBloomFilter;
import org.apache.hadoop.util.bloom.Key;
import org.apache.hadoop.util.hash.Hash;

/**
 * The counting filter of Hadoop, with counters of 4 bits. A counter that has reached 15 stays, so
 * removing the same keys as were added never loses another one. Adding does not tell whether the
 * key was new.
 */
public final class HadoopCounting implements MemoryFilter {

  private final CountingBloomFilter filter;

  /** Creates a filter with as many counters as a Bloom filter would have bits. */
  public HadoopCounting(long capacity, double falsePositiveRate) {
    BloomParameters parameters = Sizing.forCapacity(Layout.STANDARD, capacity, falsePositiveRate);
    filter =
        new CountingBloomFilter(
            Math.toIntExact(parameters.bits()), parameters.hashes(), Hash.MURMUR_HASH);
  }

  @Override
  public boolean add(String key) {
    filter.add(of(key));
    return true;
  }

  @Override
  public boolean mightContain(String key) {
    return filter.membershipTest(of(key));
  }

  /** Asks first, because its own removal does so without telling the answer. */
  @Override
  public boolean remove(String key) {
    Key its = of(key);
    boolean there = filter.membershipTest(its);
    if (there) {
      filter.delete(its);
    }
    return there;
  }

  private static Key of(String key) {
    return new Key(key.getBytes(StandardCharsets.UTF_8));
  }
}
