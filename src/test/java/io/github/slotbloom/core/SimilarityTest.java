package io.github.slotbloom.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.slotbloom.internal.bits.FillCount;
import io.github.slotbloom.internal.bits.Probe;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Estimates of what two filters have in common, beside sets that are known. */
class SimilarityTest {

  private static long[] bits(BloomParameters parameters, long seed, int from, int to) {
    long[] slots = new long[(int) parameters.slots()];
    long[] hashes =
        IntStream.range(from, to)
            .mapToLong(i -> HashAlgorithm.XXH3_64.create(seed).hashLong(i))
            .toArray();
    Probe.of(parameters).forEachMask(hashes, (slot, mask) -> slots[(int) slot] |= mask);
    return slots;
  }

  private static Fill fill(BloomParameters parameters, long[] slots) {
    FillCount count = new FillCount(parameters);
    int half = (int) (parameters.slots() / 16 * 8);
    count.add(slots, half);
    long[] rest = Arrays.copyOfRange(slots, half, slots.length);
    count.add(rest, rest.length);
    return count.fill();
  }

  private static Similarity similarity(BloomParameters parameters, long[] one, long[] other) {
    long[] either = one.clone();
    for (int i = 0; i < either.length; i++) {
      either[i] |= other[i];
    }
    return Similarity.of(fill(parameters, one), fill(parameters, other), fill(parameters, either));
  }

  @ParameterizedTest
  @CsvSource({
    "STANDARD, 20000, 20000, 5000",
    "STANDARD, 20000, 2000, 2000",
    "STANDARD, 20000, 20000, 20000",
    "BLOCKED, 20000, 20000, 0",
    "BLOCKED, 20000, 20000, 5000",
    "BLOCKED, 100, 20000, 50",
    "BLOCKED, 20000, 20000, 20000"
  })
  void similarityIsCloseToThatOfTheSets(Layout layout, int first, int second, int common) {
    BloomParameters parameters = Sizing.forCapacity(layout, 40_000, 0.001);
    long seed = new Random(31 * first + second).nextLong();
    long[] one = bits(parameters, seed, 0, first);
    long[] other = bits(parameters, seed, first - common, first - common + second);
    Similarity similarity = similarity(parameters, one, other);
    assertThat(similarity.first()).isCloseTo(first, within(250.0));
    assertThat(similarity.second()).isCloseTo(second, within(250.0));
    assertThat(similarity.union()).isCloseTo(first + second - common, within(250.0));
    assertThat(similarity.intersection()).isCloseTo(common, within(300.0));
    assertThat(similarity.jaccard())
        .isCloseTo((double) common / (first + second - common), within(0.015));
    assertThat(similarity.saturated()).isFalse();
    assertThat(similarity.swapped()).isEqualTo(similarity(parameters, other, one));
  }

  @Test
  void equalBitsShareAllKeysAndNoBitsShareNone() {
    BloomParameters parameters = Sizing.forCapacity(Layout.BLOCKED, 1000, 0.01);
    long[] some = bits(parameters, 7, 0, 500);
    assertThat(similarity(parameters, some, some).jaccard()).isEqualTo(1);
    long[] none = new long[some.length];
    assertThat(similarity(parameters, none, none).jaccard()).isZero();
    assertThat(similarity(parameters, some, none).intersection()).isZero();
  }

  @Test
  void similarityCountsTheSameFillInParts() {
    for (Layout layout : Layout.values()) {
      BloomParameters parameters = Sizing.forCapacity(layout, 1000, 0.01);
      long[] some = bits(parameters, 7, 0, 900);
      Fill atOnce = FillCount.of(parameters, slot -> some[(int) slot]);
      Fill byParts = fill(parameters, some);
      assertThat(byParts.bitsSet()).isEqualTo(atOnce.bitsSet());
      assertThat(byParts.estimatedKeys()).isCloseTo(atOnce.estimatedKeys(), within(1e-9));
      assertThat(byParts.falsePositiveRate()).isEqualTo(atOnce.falsePositiveRate());
    }
  }

  @Test
  void keysOfGenerationsWithoutAPartnerAddUp() {
    BloomParameters parameters = Sizing.forCapacity(Layout.STANDARD, 1000, 0.01);
    Fill fill = fill(parameters, bits(parameters, 7, 0, 500));
    Fill nothing = fill(parameters, new long[(int) parameters.slots()]);
    Similarity sum = Similarity.of(fill, fill, fill).plus(Similarity.of(nothing, fill, fill));
    assertThat(sum.second()).isEqualTo(2 * sum.first());
    assertThat(sum.union()).isEqualTo(sum.second());
    assertThat(sum.intersection()).isCloseTo(sum.first(), within(1e-9));
    assertThat(sum.jaccard()).isCloseTo(0.5, within(1e-9));
  }
}
