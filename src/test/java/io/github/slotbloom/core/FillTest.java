package io.github.slotbloom.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.slotbloom.error.InvalidParameterException;
import io.github.slotbloom.internal.bits.FillCount;
import io.github.slotbloom.testing.TestFilter;
import java.util.List;
import java.util.SplittableRandom;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class FillTest {

  private static final BloomParameters STANDARD = new BloomParameters(Layout.STANDARD, 1_000, 4);
  private static final BloomParameters BLOCKED = new BloomParameters(Layout.BLOCKED, 2_048, 4);

  @ParameterizedTest
  @CsvSource({
    "STANDARD, 0.01, 1000",
    "STANDARD, 0.01, 100000",
    "STANDARD, 1e-6, 200000",
    "BLOCKED, 0.01, 1000",
    "BLOCKED, 0.01, 100000",
    "BLOCKED, 1e-6, 200000"
  })
  void theEstimateOfKeysIsWithinOnePerCent(Layout layout, double rate, long keys) {
    long seed = 9;
    BloomParameters parameters = Sizing.forCapacity(layout, 100_000, rate);

    Fill fill = TestFilter.ofRandomKeys(parameters, keys, new SplittableRandom(seed)).fill();

    assertThat(fill.estimatedKeys())
        .as("%s, seed %d", parameters, seed)
        .isCloseTo(keys, Percentage.withPercentage(1));
    assertThat(fill.saturated()).isFalse();
    assertThat(fill.parameters()).isEqualTo(parameters);
  }

  @ParameterizedTest
  @EnumSource(Layout.class)
  void theEstimateOfAnEmptyFilterIsZero(Layout layout) {
    Fill fill = FillCount.of(new BloomParameters(layout, 2_048, 4), slot -> 0);

    assertThat(fill.bitsSet()).isZero();
    assertThat(fill.fraction()).isZero();
    assertThat(fill.estimatedKeys()).isZero();
    assertThat(fill.falsePositiveRate()).isZero();
    assertThat(fill.saturated()).isFalse();
  }

  @ParameterizedTest
  @EnumSource(Layout.class)
  void theEstimateOfASaturatedFilterIsALowerBound(Layout layout) {
    BloomParameters parameters = new BloomParameters(layout, 2_048, 4);

    Fill fill = FillCount.of(parameters, slot -> -1);

    assertThat(fill.bitsSet()).isEqualTo(2_048);
    assertThat(fill.fraction()).isEqualTo(1);
    assertThat(fill.falsePositiveRate()).isEqualTo(1);
    assertThat(fill.saturated()).isTrue();
    // -(m/k) ln(1/m) for m = 2048, and four times that for m = 512.
    assertThat(fill.estimatedKeys())
        .isCloseTo(layout == Layout.STANDARD ? 3903.9 : 3194.0, within(0.1));
  }

  @Test
  void oneFullBlockMakesTheEstimateALowerBound() {
    long[] histogram = new long[513];
    histogram[512] = 1;

    assertThat(Fill.blocked(BLOCKED, histogram).saturated()).isTrue();
    assertThat(Fill.blocked(BLOCKED, histogram).falsePositiveRate()).isEqualTo(0.25);
  }

  @Test
  void theFillOfStandardFollowsItsFormulas() {
    Fill fill = Fill.standard(STANDARD, 500);

    assertThat(fill.fraction()).isEqualTo(0.5);
    assertThat(fill.falsePositiveRate()).isEqualTo(0.0625);
    assertThat(fill.estimatedKeys()).isCloseTo(250 * Math.log(2), within(1e-9));
    assertThat(Fill.standard(STANDARD, 999).saturated()).isFalse();
  }

  /** Not the rate of a filter whose blocks are all filled alike: full blocks err far more often. */
  @Test
  void theFillOfBlockedIsTheMeanOfItsBlocks() {
    long[] histogram = new long[513];
    histogram[256] = 2;
    histogram[128] = 1;

    Fill fill = Fill.blocked(BLOCKED, histogram);

    assertThat(fill.bitsSet()).isEqualTo(640);
    assertThat(fill.fraction()).isEqualTo(640 / 2048.0);
    assertThat(fill.falsePositiveRate()).isEqualTo((2 / 16.0 + 1 / 256.0) / 4);
    assertThat(fill.estimatedKeys())
        .isCloseTo(128 * (2 * Math.log(2) + Math.log(4 / 3.0)), within(1e-9));
    assertThat(fill.saturated()).isFalse();
  }

  @Test
  void blocksThatAreNotInTheHistogramCountAsEmpty() {
    long[] some = new long[513];
    some[100] = 1;
    long[] all = some.clone();
    all[0] = 3;

    assertThat(Fill.blocked(BLOCKED, some))
        .usingRecursiveComparison()
        .isEqualTo(Fill.blocked(BLOCKED, all));
  }

  @Test
  void impossibleCountsAreRefused() {
    assertRefused(() -> Fill.standard(STANDARD, 1_001), "bitsSet is 1001");
    assertRefused(() -> Fill.standard(STANDARD, -1), "bitsSet is -1");
    assertRefused(() -> Fill.standard(BLOCKED, 1), "The layout is BLOCKED");
    assertRefused(() -> Fill.blocked(STANDARD, new long[513]), "The layout is STANDARD");
    assertRefused(() -> Fill.blocked(BLOCKED, new long[512]), "has 512 elements; pass 513");

    long[] negative = new long[513];
    negative[3] = -1;
    assertRefused(() -> Fill.blocked(BLOCKED, negative), "has -1 blocks with 3 bits set");
    long[] tooMany = new long[513];
    tooMany[0] = 4;
    tooMany[1] = 1;
    assertRefused(() -> Fill.blocked(BLOCKED, tooMany), "has 1 blocks with 1 bits set");
    assertRefused(() -> Fill.blocked(BLOCKED, tooMany), "add up to at most 4");
  }

  private static void assertRefused(Runnable call, String message) {
    assertThatThrownBy(call::run)
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining(message);
  }

  @Test
  void smallRatesOfSeveralArraysAddUp() {
    assertThat(Fill.anyFalsePositiveRate(List.of())).hasToString("0.0");
    assertThat(Fill.anyFalsePositiveRate(List.of(0.0, 0.0))).hasToString("0.0");
    assertThat(Fill.anyFalsePositiveRate(List.of(0.5, 0.5))).isCloseTo(0.75, within(1e-15));
    assertThat(Fill.anyFalsePositiveRate(List.of(1e-20, 3e-20))).isCloseTo(4e-20, within(1e-30));
    assertThat(Fill.anyFalsePositiveRate(List.of(0.25, 1.0))).isEqualTo(1);
  }
}
