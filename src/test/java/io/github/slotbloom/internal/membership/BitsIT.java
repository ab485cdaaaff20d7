package io.github.slotbloom.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.BloomFilter;
import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.FilterOptions;
import io.github.slotbloom.FilterSpec;
import io.github.slotbloom.SlotBloom;
import io.github.slotbloom.core.KeyType;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.internal.bits.Probe;
import io.github.slotbloom.testing.ByHand;
import io.github.slotbloom.testing.DatabaseContract;
import io.github.slotbloom.testing.Fixture;
import io.github.slotbloom.testing.Sql;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every bit of every slot of every filter can be reached. */
@DatabaseContract
class BitsIT {

  @Fixture private static SlotBloom bloom;
  @Fixture private static Sql sql;

  @ParameterizedTest
  @EnumSource
  void bit63IsStoredReadAndAddedTo(Layout layout) throws SQLException {
    FilterSpec<String> spec =
        FilterSpec.builder(KeyType.text())
            .capacity(20)
            .layout(layout)
            .explicitSize(1024, 4)
            .build();
    String name = "high_" + layout.name().toLowerCase(Locale.ROOT);
    Probe probe = Probe.of(spec.parameters());
    List<String> keys =
        IntStream.range(0, 100_000)
            .mapToObj(i -> "key " + i)
            .filter(
                key -> Arrays.stream(probe.positions(ByHand.hash(key))).anyMatch(p -> p % 64 == 63))
            .limit(5)
            .toList();
    BloomFilter<String> filter = bloom.reserve(name, spec);
    String table = sql.slots(name, 1);
    for (int i = 0; i < keys.size(); i++) {
      filter.add(keys.get(i));
      bloom.admin(filter.name()).fold();
      assertThat(
              bloom
                  .open(name, spec, FilterOptions.defaults().withoutMirror())
                  .mightContainEach(keys.subList(0, i + 1)))
          .containsOnly(true);
      assertThat(bloom.open(name, spec).mightContainEach(keys.subList(0, i + 1)))
          .containsOnly(true);
    }
    assertThat(sql.number("SELECT COUNT(*) FROM " + table + " WHERE bits >= 9223372036854775808"))
        .isPositive();
    long expected =
        keys.stream()
            .flatMapToLong(key -> Arrays.stream(probe.positions(ByHand.hash(key))))
            .distinct()
            .count();
    assertThat(bloom.info(filter.name()).bitsSet()).isEqualTo(expected);
    assertThat(sql.number("SELECT SUM(BIT_COUNT(bits)) FROM " + table)).isEqualTo(expected);
  }

  @ParameterizedTest
  @EnumSource
  void aFilterOfMoreBitsThanAnIntCountsReachesItsUpperHalf(Layout layout) throws SQLException {
    long bits = 3L << 32;
    FilterSpec<String> spec =
        FilterSpec.builder(KeyType.text())
            .capacity(1_000_000_000)
            .layout(layout)
            .explicitSize(bits, 7)
            .build();
    String name = "huge_" + layout.name().toLowerCase(Locale.ROOT);
    BloomFilter<String> filter =
        bloom.reserve(name, spec, FilterOptions.defaults().withoutMirror());
    List<String> keys = IntStream.range(0, 200).mapToObj(i -> "key " + i).toList();
    assertThat(filter.addEach(keys)).containsOnly(true);
    assertThat(filter.mightContainEach(keys)).containsOnly(true);
    bloom.admin(filter.name()).fold();
    assertThat(filter.mightContainEach(keys)).containsOnly(true);
    assertThat(filter.mightContain("none")).isFalse();
    assertThat(filter.addEach(keys)).containsOnly(false);
    String table = sql.slots(name, 1);
    assertThat(sql.number("SELECT MAX(slot) FROM " + table))
        .isBetween((1L << 31) / 64, bits / 64 - 1)
        .isGreaterThan(bits / 64 * 9 / 10);
    assertThat(bloom.info(filter.name()).estimatedKeys()).isBetween(195.0, 205.0);
  }

  @ParameterizedTest
  @EnumSource
  void aSaturatedFilterAnswersYes(Layout layout) {
    FilterSpec<String> spec =
        FilterSpec.builder(KeyType.text()).capacity(10).layout(layout).explicitSize(512, 4).build();
    String name = "full_" + layout.name().toLowerCase(Locale.ROOT);
    BloomFilter<String> filter = bloom.reserve(name, spec);
    for (int round = 0; round < 30; round++) {
      int first = round * 1000;
      filter.addEach(IntStream.range(first, first + 1000).mapToObj(i -> "key " + i).toList());
    }
    bloom.admin(filter.name()).fold();
    FilterInfo info = bloom.info(filter.name());
    assertThat(info.bitsSet()).isEqualTo(512);
    assertThat(info.saturated()).isTrue();
    assertThat(info.currentFalsePositiveRate()).isEqualTo(1.0);
    assertThat(info.estimatedKeys()).isFinite().isGreaterThan(100);
    assertThat(info.generations().get(0).fill()).isEqualTo(1.0);
    assertThat(filter.addEach(List.of("never 1", "never 2"))).containsOnly(false);
    assertThat(filter.mightContain("never 3")).isTrue();
    assertThat(bloom.info(filter.name()).keysAdded()).isEqualTo(info.keysAdded());
  }
}
