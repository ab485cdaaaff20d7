package io.github.slotbloom.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.core.KeyType;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Helpers for lists of keys. */
public final class Keys {

  private Keys() {}

  public static List<String> keys(String prefix, int count) {
    return IntStream.range(0, count).mapToObj(i -> prefix + i).toList();
  }

  /** Returns whole numbers; both ends are among them. */
  public static List<Long> numbers(long first, long last) {
    return LongStream.rangeClosed(first, last).boxed().toList();
  }

  /** Returns the keys that the filter does not hold. */
  public static <K> List<K> missing(BloomFilter<K> filter, List<K> keys) {
    boolean[] found = filter.mightContainEach(keys);
    return IntStream.range(0, found.length).filter(i -> !found[i]).mapToObj(keys::get).toList();
  }

  /** Asserts that the filter finds all keys, and that none is new. */
  public static <K> void assertHolds(BloomFilter<K> filter, List<K> keys) {
    assertThat(missing(filter, keys)).isEmpty();
    assertThat(filter.addEach(keys)).containsOnly(false);
  }

  /** Returns a source that keeps its identity in all calls, whatever keys it supplies. */
  public static KeySource source(List<String> keys) {
    return KeySource.of("a list", KeyType.text(), keys::stream);
  }
}
