package io.github.slotbloom.internal.bits;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.HashAlgorithm;
import io.github.slotbloom.core.KeyHash;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.testing.TestFilter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class PartOfHashTest {

  private static final KeyHash XXH3 = HashAlgorithm.XXH3_64.create(0);

  /** Made with Python integers, from the description in {@link PartOfHash} and {@link Probe}. */
  @ParameterizedTest
  @CsvSource({
    "0000000000000000, 0, 0, 0, 0, 0",
    "0000000000000001, 0, 0, 1, 1, 338",
    "0000000000000002, 0, 1, 2, 3, 858",
    "8000000000000000, 0, 0, 0, 0, 147",
    "ffffffffffffffff, 0, 1, 2, 2, 706",
    "deadbeefcafef00d, 0, 0, 0, 0, 97",
    "9e3779b97f4a7c15, 0, 1, 2, 3, 883",
    "0123456789abcdef, 0, 1, 2, 2, 698"
  })
  void partsNeverChange(String hash, int of1, int of2, int of3, int of4, int of1000) {
    long h = Long.parseUnsignedLong(hash, 16);
    assertThat(List.of(1, 2, 3, 4, 1000).stream().map(parts -> PartOfHash.of(h, parts)))
        .containsExactly(of1, of2, of3, of4, of1000);
  }

  @ParameterizedTest
  @CsvSource({
    "slotbloom, 0, 0, 0, 249",
    "Grüße, 1, 1, 2, 632",
    "東京, 1, 2, 3, 974",
    "🌸, 1, 2, 2, 716"
  })
  void partsOfTextsNeverChange(String text, int of2, int of3, int of4, int of1000) {
    long hash = KeyType.text().hash(text, XXH3);
    assertThat(List.of(2, 3, 4, 1000).stream().map(parts -> PartOfHash.of(hash, parts)))
        .containsExactly(of2, of3, of4, of1000);
  }

  /** Numbers in a row, as many keys are. The bound is passed once in 10^9 by chance. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 7, 64, 1000})
  void eachPartGetsAsManyKeysAsTheOthers(int parts) {
    int keys = 1_000_000;
    long[] counts = new long[parts];
    for (long key = 0; key < keys; key++) {
      counts[PartOfHash.of(XXH3.hashLong(key), parts)]++;
    }
    double expected = (double) keys / parts;
    double chiSquared = 0;
    for (long count : counts) {
      chiSquared += (count - expected) * (count - expected) / expected;
    }
    int degrees = parts - 1;
    assertThat(chiSquared).isLessThan(degrees + 6.5 * Math.sqrt(2.0 * degrees) + 36);
  }

  /**
   * If the part were taken from a word that makes positions as well, the keys of a part would be in
   * a fraction of the bits, and err many times as often.
   */
  @ParameterizedTest
  @EnumSource
  void eachPartErrsAsOftenAsAFilterThatHasAllKeys(Layout layout) {
    int parts = 4;
    int keys = 200_000;
    double rate = 0.01;
    BloomParameters parameters = Sizing.forCapacity(layout, keys / parts, rate);
    List<TestFilter> filters = new ArrayList<>();
    for (int part = 0; part < parts; part++) {
      filters.add(new TestFilter(parameters));
    }
    for (long key = 0; key < keys; key++) {
      long hash = XXH3.hashLong(key);
      filters.get(PartOfHash.of(hash, parts)).add(hash);
    }

    int[] asked = new int[parts];
    int[] found = new int[parts];
    for (long key = keys; key < 6 * keys; key++) {
      long hash = XXH3.hashLong(key);
      int part = PartOfHash.of(hash, parts);
      asked[part]++;
      found[part] += filters.get(part).isMember(hash) ? 1 : 0;
    }

    for (int part = 0; part < parts; part++) {
      double expected = filters.get(part).fill().falsePositiveRate();
      assertThat(expected).as("by the bits of part %d", part).isBetween(0.9 * rate, 1.1 * rate);
      double deviation = Math.sqrt(expected / asked[part]);
      assertThat((double) found[part] / asked[part])
          .as("part %d", part)
          .isBetween(expected - 6 * deviation, expected + 6 * deviation);
    }
  }
}
