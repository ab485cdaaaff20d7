package io.github.slotbloom.testing;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.KeySource;
import io.github.slotbloom.core.KeyType;
import java.util.List;
import java.util.stream.IntStream;

/** Lists of keys, as tests add, look for and bring again. */
public final class Keys {

  private Keys() {}

  public static List<String> keys(String prefix, int count) {
    return IntStream.range(0, count).mapToObj(i -> prefix + i).toList();
  }

  /** Those that the filter does not hold. */
  public static <K> List<K> missing(BloomFilter<K> filter, List<K> keys) {
    boolean[] found = filter.mightContainEach(keys);
    return IntStream.range(0, found.length).filter(i -> !found[i]).mapToObj(keys::get).toList();
  }

  /** The same source at each call, whatever it brings. */
  public static KeySource source(List<String> keys) {
    return KeySource.of("a list", KeyType.text(), keys::stream);
  }
}
