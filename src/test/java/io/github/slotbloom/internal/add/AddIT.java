package io.github.slotbloom.internal.add;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.testing.BeforeDatabase;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Use;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What add and its sisters answer, with a mirror and without. */
@DatabaseContract
@Tag("mysql")
class AddIT {

  private static final Map<Use, BloomFilter<String>> FILTERS = new EnumMap<>(Use.class);
  @Fixture private static SlotBloom bloom;

  @BeforeDatabase
  static void reserve() {
    for (Use use : Use.values()) {
      bloom.reserve(use.filterName(), use.spec(KeyType.text(), 60_000)).close();
      FILTERS.put(use, use.open(bloom, use.filterName()));
    }
  }

  @ParameterizedTest
  @EnumSource
  void answersComeInOrderAndTheSecondOfTwoEqualKeysIsNotNew(Use use) {
    BloomFilter<String> filter = FILTERS.get(use);
    filter.add("order 2");
    assertThat(filter.addEach(List.of("order 1", "order 2", "order 3", "order 1", "order 3", "")))
        .containsExactly(true, false, true, false, false, true);
    assertThat(filter.mightContainEach(List.of("order 9", "order 3", "", "order 8", "order 1")))
        .containsExactly(false, true, true, false, true);
  }

  @ParameterizedTest
  @EnumSource
  void filterNewKeepsTheFirstOfEachNewKeyInOrder(Use use) {
    BloomFilter<String> filter = FILTERS.get(use);
    filter.add("b");
    assertThat(filter.filterNew(List.of("c", "b", "a", "c", "d", "a")))
        .containsExactly("c", "a", "d");
    assertThat(filter.filterNew(List.of("c", "b", "a"))).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void emptyListsAndSeenKeysWriteNothing(Use use) {
    BloomFilter<String> filter = FILTERS.get(use);
    filter.addEach(List.of("seen 1", "seen 2"));
    long before = bloom.info(filter.name()).lastSequence();
    assertThat(filter.addEach(List.of())).isEmpty();
    assertThat(filter.filterNew(List.of())).isEmpty();
    assertThat(filter.mightContainEach(List.of())).isEmpty();
    assertThat(filter.addEach(List.of("seen 2", "seen 1", "seen 2"))).containsOnly(false);
    assertThat(filter.add("seen 1")).isFalse();
    assertThat(bloom.info(filter.name()).lastSequence()).isEqualTo(before);
  }

  @ParameterizedTest
  @EnumSource
  void aListLargerThanATransactionIsAddedInParts(Use use) {
    BloomFilter<String> filter = FILTERS.get(use);
    FilterInfo before = bloom.info(filter.name());
    int size = BloomFilter.MAX_KEYS_PER_TRANSACTION + 1000;
    List<String> keys = IntStream.range(0, size).mapToObj(i -> "large " + i % (size - 5)).toList();
    boolean[] fresh = filter.addEach(keys);
    assertThat(IntStream.range(0, size).filter(i -> !fresh[i]))
        .hasSize(5)
        .allMatch(i -> i >= size - 5);
    bloom.admin(filter.name()).fold();
    FilterInfo after = bloom.info(filter.name());
    assertThat(after.keysAdded() - before.keysAdded()).isEqualTo(size - 5);
    assertThat(after.backlog()).isZero();
    assertThat(filter.mightContainEach(keys)).hasSize(size).containsOnly(true);
    // 8,192 hashes an entry: five for the first transaction's 32,768 and the second's 995.
    assertThat(after.lastSequence() - before.lastSequence()).isEqualTo(5);
  }
}
