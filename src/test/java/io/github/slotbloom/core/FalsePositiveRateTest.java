package io.github.slotbloom.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.testing.TestFilter;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.ToDoubleBiFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Measures what {@link Sizing} promises. The seeds are fixed, so a failure can be repeated; bounds
 * are four standard errors wide.
 */
class FalsePositiveRateTest {

  private static final long EXPECTED_HITS = 1_600;

  @ParameterizedTest
  @CsvSource({"STANDARD, 0.1", "STANDARD, 0.001", "BLOCKED, 0.1", "BLOCKED, 0.001"})
  void aFullFilterMeetsItsTargetWithoutWaste(Layout layout, double target) {
    long seed = 1;
    SplittableRandom random = new SplittableRandom(seed);
    BloomParameters parameters = Sizing.forCapacity(layout, 100_000, target);
    TestFilter filter = TestFilter.ofRandomKeys(parameters, 100_000, random);
    long queries = Math.round(EXPECTED_HITS / target);

    double measured = (double) filter.falsePositives(queries, random) / queries;

    double error = Math.sqrt(target * (1 - target) / queries);
    assertThat(measured)
        .as("%s, seed %d", parameters, seed)
        .isLessThanOrEqualTo(target + 4 * error)
        .isGreaterThanOrEqualTo(0.85 * target);
  }

  /** Many filters, since one of few keys can be far from the mean. */
  @ParameterizedTest
  @CsvSource({
    "STANDARD, 1, 0.01",
    "STANDARD, 10, 0.001",
    "STANDARD, 1000, 0.01",
    "BLOCKED, 1, 0.01",
    "BLOCKED, 10, 0.001",
    "BLOCKED, 100, 0.001",
    "BLOCKED, 1000, 0.01"
  })
  void aFilterOfFewKeysMeetsItsTarget(Layout layout, int capacity, double target) {
    long seed = 2;
    SplittableRandom random = new SplittableRandom(seed);
    BloomParameters parameters = Sizing.forCapacity(layout, capacity, target);
    long queriesOfOne = 200;
    long filters = Math.round(EXPECTED_HITS / target / queriesOfOne);

    long hits = 0;
    for (long i = 0; i < filters; i++) {
      hits +=
          TestFilter.ofRandomKeys(parameters, capacity, random)
              .falsePositives(queriesOfOne, random);
    }

    double queries = filters * queriesOfOne;
    assertThat(hits / queries)
        .as("%s, seed %d", parameters, seed)
        .isLessThanOrEqualTo(target + 4 * Math.sqrt(target * (1 - target) / queries));
  }

  @ParameterizedTest
  @CsvSource({
    "STANDARD, 0.1,  100",
    "STANDARD, 0.01,  50",
    "STANDARD, 0.01, 100",
    "STANDARD, 0.01, 300",
    "BLOCKED,  0.1,  100",
    "BLOCKED,  0.01,  50",
    "BLOCKED,  0.01, 100",
    "BLOCKED,  0.01, 300"
  })
  void theExpectedRateMatchesTheMeasuredRate(Layout layout, double target, int percentOfCapacity) {
    BloomParameters parameters = Sizing.forCapacity(layout, 5_000, target);
    long keys = 5_000 * percentOfCapacity / 100;
    double expected = Sizing.expectedFalsePositiveRate(parameters, keys);
    long queriesOfOne = Math.round(EXPECTED_HITS / expected / 32);
    assertMeanIsExpected(
        3,
        parameters,
        keys,
        32,
        (filter, random) -> (double) filter.falsePositives(queriesOfOne, random) / queriesOfOne);
  }

  /**
   * Counting the bits of a filter gives its own false positive rate without a query, and so reaches
   * rates that queries cannot.
   */
  @ParameterizedTest
  @CsvSource({
    "STANDARD, 1e-4,  50",
    "STANDARD, 1e-9, 100",
    "STANDARD, 1e-9, 200",
    "BLOCKED,  0.01,  10",
    "BLOCKED,  1e-6, 100",
    "BLOCKED,  1e-9, 300"
  })
  void theExpectedRateMatchesTheRateFromTheBits(
      Layout layout, double target, int percentOfCapacity) {
    BloomParameters parameters = Sizing.forCapacity(layout, 2_000, target);
    long keys = 2_000 * percentOfCapacity / 100;
    assertMeanIsExpected(
        4, parameters, keys, 300, (filter, random) -> filter.fill().falsePositiveRate());
  }

  @ParameterizedTest
  @CsvSource({"STANDARD", "BLOCKED"})
  void theRateFromTheBitsMatchesTheMeasuredRate(Layout layout) {
    long seed = 5;
    SplittableRandom random = new SplittableRandom(seed);
    BloomParameters parameters = Sizing.forCapacity(layout, 20_000, 0.01);
    TestFilter filter = TestFilter.ofRandomKeys(parameters, 30_000, random);
    long queries = 1_000_000;

    double measured = (double) filter.falsePositives(queries, random) / queries;

    double rate = filter.fill().falsePositiveRate();
    double error = Math.sqrt(rate * (1 - rate) / queries);
    assertThat(measured)
        .as("%s, seed %d", parameters, seed)
        .isBetween(rate - 4 * error, rate + 4 * error);
  }

  /**
   * Asserts that the mean of many filters is the expected rate. The spread among the filters
   * themselves gives the standard error of their mean.
   */
  private static void assertMeanIsExpected(
      long seed,
      BloomParameters parameters,
      long keys,
      int filters,
      ToDoubleBiFunction<TestFilter, SplittableRandom> rateOf) {
    SplittableRandom random = new SplittableRandom(seed);
    double[] rates =
        IntStream.range(0, filters)
            .mapToObj(i -> TestFilter.ofRandomKeys(parameters, keys, random))
            .mapToDouble(filter -> rateOf.applyAsDouble(filter, random))
            .toArray();
    double mean = Arrays.stream(rates).average().orElseThrow();
    double squares = 0;
    for (double rate : rates) {
      squares += (rate - mean) * (rate - mean);
    }
    double error = Math.sqrt(squares / (rates.length - 1) / rates.length);
    double expected = Sizing.expectedFalsePositiveRate(parameters, keys);
    String description = parameters + ", seed " + seed;
    assertThat(mean).as(description).isBetween(expected - 4 * error, expected + 4 * error);
    assertThat(error).as(description).isPositive().isLessThan(0.15 * expected);
  }
}
