package io.github.slotbloom.core;

import static io.github.slotbloom.core.Layout.BLOCKED;
import static io.github.slotbloom.core.Layout.STANDARD;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.slotbloom.error.InvalidParameterException;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SizingTest {

  /** -n ln p / (ln 2)^2 rounded up, which every textbook and calculator gives. */
  @ParameterizedTest
  @CsvSource({
    "1000000, 0.1,    4792530,  3",
    "1000000, 0.01,   9585059,  7",
    "1000000, 0.001, 14377588, 10",
    "1000000, 1e-6,  28755176, 20",
    "1000000, 1e-9,  43132764, 30"
  })
  void standardIsAtMostAHalfPerCentLargerThanTheTextbookSize(
      long capacity, double rate, long textbookBits, int hashes) {
    BloomParameters parameters = Sizing.forCapacity(STANDARD, capacity, rate);

    assertThat(parameters.hashes()).isEqualTo(hashes);
    assertThat(parameters.bits()).isBetween(textbookBits, textbookBits * 1005 / 1000);
  }

  /** With a fixed k, m = -kn / ln(1 - p^(1/k)) is exact for large m. */
  @Test
  void standardHasTheFewestBitsForItsWholeNumberOfHashes() {
    BloomParameters parameters = Sizing.forCapacity(STANDARD, 1_000_000, 0.01);

    double bits = -7e6 / Math.log1p(-Math.pow(0.01, 1.0 / 7));
    assertThat((double) parameters.bits()).isCloseTo(bits, within(10.0));
  }

  /** What blocks cost: 0.6, 3, 8 and 35 % more bits than STANDARD. */
  @ParameterizedTest
  @CsvSource({"0.1, 4.836, 3", "0.01, 9.918, 6", "0.001, 15.546, 9", "1e-6, 38.825, 16"})
  void blockedNeedsMoreBitsThanStandard(double rate, double bitsPerKey, int hashes) {
    BloomParameters parameters = Sizing.forCapacity(BLOCKED, 10_000_000, rate);

    assertThat(parameters.bits() / 1e7).isCloseTo(bitsPerKey, within(0.001));
    assertThat(parameters.hashes()).isEqualTo(hashes);
  }

  @ParameterizedTest
  @EnumSource(Layout.class)
  void theSizeIsTheSmallestThatMeetsTheTarget(Layout layout) {
    long step = layout == BLOCKED ? 512 : 1;
    for (long capacity : new long[] {10_000, 1_000_000, 1_000_000_000L, 1L << 35}) {
      for (double rate : new double[] {0.9, 0.5, 0.35, 0.1, 0.01, 1e-4, 1e-7}) {
        BloomParameters parameters = Sizing.forCapacity(layout, capacity, rate);
        BloomParameters smaller =
            new BloomParameters(layout, parameters.bits() - step, parameters.hashes());

        assertThat(Sizing.expectedFalsePositiveRate(parameters, capacity))
            .as("%s for %d keys at %s", parameters, capacity, rate)
            .isLessThanOrEqualTo(rate);
        assertThat(Sizing.expectedFalsePositiveRate(smaller, capacity))
            .as("%s for %d keys at %s", smaller, capacity, rate)
            .isGreaterThan(rate);
      }
    }
  }

  @Test
  void noOtherNumberOfHashesNeedsFewerBlocks() {
    for (double rate : new double[] {0.3, 0.01, 1e-5, 1e-9}) {
      BloomParameters best = Sizing.forCapacity(BLOCKED, 50_000, rate);
      for (int hashes = 1; hashes <= BloomParameters.MAX_HASHES; hashes++) {
        BloomParameters other = new BloomParameters(BLOCKED, best.bits() - 512, hashes);
        assertThat(Sizing.expectedFalsePositiveRate(other, 50_000))
            .as("%s at %s", other, rate)
            .isGreaterThan(rate);
      }
    }
  }

  /** Exact by following the distribution of bits set; the textbook's formula is up to 98 % low. */
  @Test
  void theExpectedRateOfATinyStandardFilterIsAtLeastTheExactRate() {
    for (int keys : new int[] {1, 2, 3, 5, 10, 30, 100}) {
      for (double rate : new double[] {0.1, 0.01, 1e-4, 1e-6, 1e-9, 1e-12, 1e-15}) {
        BloomParameters parameters = Sizing.forCapacity(STANDARD, keys, rate);
        double exact = exactRate((int) parameters.bits(), parameters.hashes(), keys);
        double expected = Sizing.expectedFalsePositiveRate(parameters, keys);

        assertThat(expected)
            .as("%s with %d keys", parameters, keys)
            .isGreaterThanOrEqualTo(exact)
            .isLessThanOrEqualTo(rate);
        if (keys >= 10) {
          assertThat(expected).isCloseTo(exact, Percentage.withPercentage(2));
        }
      }
    }
  }

  @Test
  void theExpectedRateOfASingleBlockIsExact() {
    for (int keys : new int[] {1, 2, 10, 60, 100, 300}) {
      for (int hashes : new int[] {1, 3, 8, 30, 64}) {
        double expected =
            Sizing.expectedFalsePositiveRate(new BloomParameters(BLOCKED, 512, hashes), keys);

        double exact = exactRate(512, hashes, keys) + keys * 0x1p-64;
        assertThat(expected)
            .as("%d keys, %d hashes", keys, hashes)
            .isCloseTo(exact, Percentage.withPercentage(0.01));
      }
    }
  }

  /** The rate of two blocks from all 2^n ways to spread the keys, by Pascal's triangle. */
  @Test
  void theKeysOfABlockAreBinomial() {
    int keys = 40;
    double[] ways = new double[keys + 1];
    ways[0] = 1;
    for (int i = 1; i <= keys; i++) {
      for (int j = i; j > 0; j--) {
        ways[j] += ways[j - 1];
      }
    }
    double exact = keys * 0x1p-64;
    for (int j = 0; j <= keys; j++) {
      exact += ways[j] * 0x1p-40 * exactRate(512, 11, j);
    }

    assertThat(Sizing.expectedFalsePositiveRate(new BloomParameters(BLOCKED, 1024, 11), keys))
        .isCloseTo(exact, Percentage.withPercentage(1e-6));
  }

  @ParameterizedTest
  @EnumSource(Layout.class)
  void theExpectedRateGoesFromZeroToOneAsKeysAreAdded(Layout layout) {
    BloomParameters parameters = Sizing.forCapacity(layout, 10_000, 0.001);

    assertThat(Sizing.expectedFalsePositiveRate(parameters, 0)).isZero();
    double previous = 0;
    for (long keys = 1_000; keys < 1_000_000; keys += 1_000) {
      double rate = Sizing.expectedFalsePositiveRate(parameters, keys);
      assertThat(rate).as("%d keys", keys).isGreaterThanOrEqualTo(previous).isLessThanOrEqualTo(1);
      previous = rate;
    }
    assertThat(Sizing.expectedFalsePositiveRate(parameters, Long.MAX_VALUE)).isEqualTo(1);
    assertThatThrownBy(() -> Sizing.expectedFalsePositiveRate(parameters, -1))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessage("keys is -1; use 0 or more");
  }

  /** In a filter that is as good as empty nothing but collisions is left. */
  @Test
  void theExpectedRateIncludesTheCollisionsOf64BitHashes() {
    BloomParameters standard = new BloomParameters(STANDARD, BloomParameters.MAX_BITS, 64);
    BloomParameters blocked = new BloomParameters(BLOCKED, BloomParameters.MAX_BITS, 12);

    assertThat(Sizing.expectedFalsePositiveRate(standard, 1_000_000))
        .isCloseTo(3e6 * 0x1p-64, Percentage.withPercentage(0.1));
    assertThat(Sizing.expectedFalsePositiveRate(blocked, 1))
        .isGreaterThan(0x1p-64)
        .isCloseTo(0x1p-64, Percentage.withPercentage(0.1));
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -0.0, -0.01, 1, 1.5, Double.NaN, Double.POSITIVE_INFINITY})
  void invalidFalsePositiveRatesAreRefused(double rate) {
    assertThatThrownBy(() -> Sizing.forCapacity(STANDARD, 1_000, rate))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessage(
            "The false positive rate is " + rate + "; use a number between 0 and 1, such as 0.01");
    assertThatThrownBy(() -> Sizing.firstGenerationRate(rate))
        .isInstanceOf(InvalidParameterException.class);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MIN_VALUE, (1L << 40) + 1, Long.MAX_VALUE})
  void invalidCapacitiesAreRefused(long capacity) {
    assertThatThrownBy(() -> Sizing.forCapacity(BLOCKED, capacity, 0.01))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageMatching(".*( is [-0-9,]+; use 1 key or more| [0-9,]+ keys or fewer)");
  }

  @ParameterizedTest
  @EnumSource(Layout.class)
  void aRateTooSmallFor64BitHashesIsRefusedWithTheSmallest(Layout layout) {
    assertThatThrownBy(() -> Sizing.forCapacity(layout, 1L << 32, 9e-10))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessage(
            ("The layout %s cannot have a false positive rate of 9.0E-10 with 4,294,967,296"
                        + " keys; use a")
                    .formatted(layout)
                + " false positive rate of 9.32E-10 or more, or 4,150,517,416 keys or fewer");

    BloomParameters smallest = Sizing.forCapacity(layout, 1L << 32, 9.313225746154785E-10);
    assertThat(Sizing.expectedFalsePositiveRate(smallest, 1L << 32))
        .isLessThanOrEqualTo(9.313225746154785E-10);
  }

  @Test
  void blockedIsRefusedIfItCostsMoreThanFourTimesStandard() {
    assertThatThrownBy(() -> Sizing.forCapacity(BLOCKED, 1_000, 1e-15))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining(
            "BLOCKED cannot have a false positive rate of 1.0E-15 with 1,000 keys; use");

    BloomParameters standard = Sizing.forCapacity(STANDARD, 1_000, 1e-15);
    assertThat(Sizing.expectedFalsePositiveRate(standard, 1_000)).isLessThanOrEqualTo(1e-15);
  }

  @ParameterizedTest
  @EnumSource(Layout.class)
  void aFilterOfTooManyBitsIsRefused(Layout layout) {
    assertThatThrownBy(() -> Sizing.forCapacity(layout, 1L << 40, 0.01))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining("0.01 with 1,099,511,627,776 keys; use a false positive rate of 0.1");

    assertThat(Sizing.forCapacity(layout, 1L << 40, 0.2).bits()).isGreaterThan(1L << 41);
  }

  @Test
  void blockedIsRefusedWithTooManyBlocksWhileStandardFits() {
    long capacity = 1L << 38;
    assertThat(Sizing.forCapacity(STANDARD, capacity, 6e-4).bits()).isGreaterThan(1L << 41);
    assertThatThrownBy(() -> Sizing.forCapacity(BLOCKED, capacity, 6e-4))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessageContaining(
            "cannot have a false positive rate of 6.0E-4 with 274,877,906,944 keys");
  }

  @Test
  void theRatesOfAllGenerationsStayUnderTheTarget() {
    assertThat(Sizing.firstGenerationRate(0.01)).isEqualTo(0.005);
    assertThat(Sizing.generationRate(0.01, 3)).isEqualTo(0.00125);

    double sum = 0;
    for (int generation = 1; generation <= 40; generation++) {
      sum += Sizing.generationRate(0.01, generation);
    }
    assertThat(sum).isLessThan(0.01).isGreaterThan(0.00999);
    assertThatThrownBy(() -> Sizing.generationRate(0.01, 0))
        .isInstanceOf(InvalidParameterException.class)
        .hasMessage("generation is 0; generations are counted from 1");
  }

  private static double exactRate(int bits, int hashes, int keys) {
    double[] probability = new double[bits + 1];
    probability[0] = 1;
    for (int probes = 0; probes < hashes * keys; probes++) {
      for (int x = bits; x > 0; x--) {
        probability[x] = (probability[x] * x + probability[x - 1] * (bits - x + 1)) / bits;
      }
      probability[0] = 0;
    }
    double rate = 0;
    for (int x = 0; x <= bits; x++) {
      rate += probability[x] * Math.pow((double) x / bits, hashes);
    }
    return rate;
  }
}
