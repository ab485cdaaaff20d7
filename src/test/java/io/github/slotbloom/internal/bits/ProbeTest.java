package io.github.slotbloom.internal.bits;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.core.Sizing;
import io.github.slotbloom.testing.TestFilter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ProbeTest {

  @Property(tries = 300)
  void everyKeyThatWasAddedIsAMember(
      @ForAll Layout layout,
      @ForAll @LongRange(min = 64, max = 100_000) long bits,
      @ForAll @IntRange(min = 1, max = 64) int hashes,
      @ForAll @IntRange(min = 1, max = 2_000) int keys,
      @ForAll long seed) {
    TestFilter filter = new TestFilter(parameters(layout, bits, hashes));
    long[] added = new SplittableRandom(seed).longs(keys).toArray();
    for (long hash : added) {
      filter.add(hash);
    }

    for (long hash : added) {
      assertThat(filter.isMember(hash)).as("%d", hash).isTrue();
    }
  }

  @Property(tries = 1_000)
  void masksAndPositionsAreTheSameBits(
      @ForAll Layout layout,
      @ForAll @LongRange(min = 64, max = BloomParameters.MAX_BITS) long bits,
      @ForAll @IntRange(min = 1, max = 64) int hashes,
      @ForAll long hash) {
    BloomParameters parameters = parameters(layout, bits, hashes);
    Probe probe = Probe.of(parameters);
    List<Long> slots = new ArrayList<>();
    List<Long> bitsOfMasks = new ArrayList<>();
    probe.forEachMask(
        hash,
        (slot, mask) -> {
          slots.add(slot);
          for (long rest = mask; rest != 0; rest &= rest - 1) {
            bitsOfMasks.add(64 * slot + Long.numberOfTrailingZeros(rest));
          }
        });

    long[] positions = probe.positions(hash);
    assertThat(positions).hasSize(hashes);
    assertThat(Arrays.stream(positions)).allMatch(p -> p >= 0 && p < parameters.bits());
    assertThat(bitsOfMasks.stream().distinct())
        .containsExactlyInAnyOrderElementsOf(Arrays.stream(positions).distinct().boxed().toList());
    if (layout == Layout.BLOCKED) {
      assertThat(slots).doesNotHaveDuplicates();
      assertThat(Arrays.stream(positions).map(p -> p / 512).distinct().count()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @EnumSource(Layout.class)
  void aKeyWithAMissingBitIsNoMember(Layout layout) {
    Probe probe = Probe.of(parameters(layout, 1L << 40, 20));
    for (long missing : probe.positions(7)) {
      assertThat(probe.isMember(7, slot -> slot == missing / 64 ? ~(1L << (missing % 64)) : -1L))
          .as("without position %d", missing)
          .isFalse();
    }
    assertThat(probe.isMember(7, slot -> -1L)).isTrue();
  }

  @Property(tries = 300)
  void exactlyTheMembersAmongManyKeysAreMarked(
      @ForAll Layout layout,
      @ForAll @LongRange(min = 64, max = 20_000) long bits,
      @ForAll @IntRange(min = 1, max = 64) int hashes,
      @ForAll @IntRange(min = 0, max = 1_000) int keys,
      @ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    TestFilter filter = new TestFilter(parameters(layout, bits, hashes));
    long[] asked = random.longs(keys).toArray();
    for (int i = 0; i < keys; i += 3) {
      filter.add(asked[i]);
    }
    int from = random.nextInt(keys + 1);
    int to = from + random.nextInt(keys - from + 1);
    boolean[] marked = new boolean[keys];
    boolean[] expected = new boolean[keys];
    for (int i = 0; i < keys; i++) {
      marked[i] = random.nextInt(4) == 0;
      expected[i] = marked[i] || (i >= from && i < to && filter.isMember(asked[i]));
    }

    filter.markMembers(asked, from, to, marked);

    assertThat(marked).isEqualTo(expected);
  }

  @Test
  void standardReadsUpToTheFirstMissingBit() {
    Probe probe = Probe.of(parameters(Layout.STANDARD, 1L << 40, 20));
    List<Long> read = new ArrayList<>();

    boolean member =
        probe.isMember(
            7,
            slot -> {
              read.add(slot);
              return read.size() < 3 ? -1L : 0L;
            });

    assertThat(member).isFalse();
    assertThat(read)
        .containsExactlyElementsOf(
            Arrays.stream(probe.positions(7)).limit(3).map(p -> p / 64).boxed().toList());
  }

  @Test
  void blockedReadsOneBlock() {
    Probe probe = Probe.of(parameters(Layout.BLOCKED, 1L << 40, 20));
    for (long hash : new SplittableRandom(9).longs(100).toArray()) {
      long block = probe.positions(hash)[0] / 512;
      assertThat(
              probe.isMember(
                  hash,
                  slot -> {
                    assertThat(slot / 8).isEqualTo(block);
                    return -1L;
                  }))
          .isTrue();
    }
  }

  /** 2^36 bits, far beyond what 31 bits could number; nothing of that size is allocated. */
  @ParameterizedTest
  @EnumSource(Layout.class)
  void positionsReachAllQuartersOfALargeFilter(Layout layout) {
    Probe probe = Probe.of(parameters(layout, 1L << 36, 1));
    long[] keysInQuarter = new long[4];
    for (long hash : new SplittableRandom(6).longs(100_000).toArray()) {
      keysInQuarter[(int) (probe.positions(hash)[0] >>> 34)]++;
    }

    // Three degrees of freedom: beyond 30 with a probability of 10^-6.
    assertThat(chiSquare(keysInQuarter)).isLessThan(30);
  }

  @ParameterizedTest
  @EnumSource(Layout.class)
  void consecutiveHashesAreSpreadLikeRandomOnes(Layout layout) {
    Probe probe = Probe.of(parameters(layout, 512L << 10, 9));
    long[] first = new long[1024];
    long[] last = new long[512];
    for (long hash = 0; hash < 200_000; hash++) {
      long[] positions = probe.positions(hash);
      first[(int) (positions[0] / 512)]++;
      last[(int) (positions[8] % 512)]++;
    }

    // Five standard deviations above the mean, for 1023 and 511 degrees of freedom.
    assertThat(chiSquare(first)).isLessThan(1023 + 5 * Math.sqrt(2 * 1023));
    assertThat(chiSquare(last)).isLessThan(511 + 5 * Math.sqrt(2 * 511));
  }

  /** If the fields of two probes overlapped, equal ones would be more frequent than 1 in 512. */
  @Test
  void theProbesOfABlockAreIndependentOfEachOther() {
    Probe probe = Probe.of(parameters(Layout.BLOCKED, 512L << 10, 15));
    long equalPairs = 0;
    for (long hash : new SplittableRandom(8).longs(20_000).toArray()) {
      long[] positions = probe.positions(hash);
      for (int i = 0; i < positions.length; i++) {
        for (int j = 0; j < i; j++) {
          equalPairs += positions[i] == positions[j] ? 1 : 0;
        }
      }
    }

    double expected = 20_000 * (15 * 14 / 2) / 512.0;
    assertThat((double) equalPairs)
        .isBetween(expected - 5 * Math.sqrt(expected), expected + 5 * Math.sqrt(expected));
  }

  /**
   * Why {@link Sizing} counts three collisions for each key with STANDARD, and one with BLOCKED.
   */
  @Test
  void hashesOneStepApartShareTheirProbesWithStandardOnly() {
    long step = 0x9E3779B97F4A7C15L;
    Probe standard = Probe.of(parameters(Layout.STANDARD, 1L << 40, 10));
    Probe blocked = Probe.of(parameters(Layout.BLOCKED, 1L << 40, 10));
    for (long hash : new SplittableRandom(10).longs(1_000).toArray()) {
      assertThat(standard.positions(hash + step))
          .startsWith(Arrays.copyOfRange(standard.positions(hash), 1, 10));
      assertThat(blocked.positions(hash + step)[0] / 512)
          .isNotEqualTo(blocked.positions(hash)[0] / 512);
    }
  }

  private static BloomParameters parameters(Layout layout, long bits, int hashes) {
    long wholeBlocks = Math.max(512, bits - bits % 512);
    return new BloomParameters(layout, layout == Layout.BLOCKED ? wholeBlocks : bits, hashes);
  }

  private static double chiSquare(long[] counts) {
    double expected = Arrays.stream(counts).average().orElseThrow();
    return Arrays.stream(counts).mapToDouble(c -> (c - expected) * (c - expected) / expected).sum();
  }
}
