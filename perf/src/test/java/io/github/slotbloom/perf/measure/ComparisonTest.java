package io.github.slotbloom.perf.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class ComparisonTest {

  private static final Series OURS = new Series("Slotbloom", "", new double[] {100, 400, 300});
  private static final Series PEER = new Series("peer", "", new double[] {50, 100, 300});

  @Test
  void ratiosAreTakenRoundByRound() {
    Comparison rates = comparison(Better.HIGHER);

    // The medians of each would give 300 / 100.
    assertThat(rates.timesAsGood(OURS, PEER)).isEqualTo(new Spread(2, 1, 4));
  }

  @Test
  void theRatioIsInvertedIfLessIsBetter() {
    Comparison times = comparison(Better.LOWER);

    assertThat(times.timesAsGood(OURS, PEER)).isEqualTo(new Spread(0.5, 0.25, 1));
  }

  @Test
  void aGoalIsMetByTheMedian() {
    Comparison rates = comparison(Better.HIGHER);
    Goal reached = new Goal("Slotbloom", "peer", 2, "2 times");
    Goal missed = new Goal("Slotbloom", "peer", 2.1, "2.1 times");

    assertThat(Comparison.isMet(reached, rates.reached(reached).orElseThrow())).isTrue();
    assertThat(Comparison.isMet(missed, rates.reached(missed).orElseThrow())).isFalse();
  }

  @Test
  void aGoalAgainstAnAbsentPeerIsNotMeasured() {
    Goal goal = new Goal("Slotbloom", "somebody else", 2, "2 times");

    assertThat(comparison(Better.HIGHER).reached(goal)).isEmpty();
  }

  @Test
  void seriesOfDifferentRoundsAreNotCompared() {
    Series shorter = new Series("peer", "", new double[] {1, 2});

    assertThatThrownBy(() -> comparison(Better.HIGHER).timesAsGood(OURS, shorter))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("same rounds");
  }

  @Test
  void theBetterOfTwoSeriesIsAdded() {
    // 100 beside 300, in the median.
    Comparison rates = comparison(Better.HIGHER).withBetterOf("peer", "Slotbloom", "floor");
    Comparison times = comparison(Better.LOWER).withBetterOf("peer", "Slotbloom", "floor");

    assertThat(rates.series()).extracting(Series::name).contains("Slotbloom", "peer", "floor");
    assertThat(rates.find("floor").orElseThrow().values()).containsExactly(100, 400, 300);
    assertThat(times.find("floor").orElseThrow().values()).containsExactly(50, 100, 300);
  }

  @Test
  void sumsAndDifferencesAreTakenRoundByRound() {
    Comparison times = comparison(Better.LOWER);

    assertThat(times.withSum("peer", "Slotbloom", "both").find("both").orElseThrow().values())
        .containsExactly(150, 500, 600);
    assertThat(times.difference("Slotbloom", "peer")).isEqualTo(new Spread(50, 0, 300));
  }

  private static Comparison comparison(Better better) {
    return new Comparison("title", "unit", better, List.of(OURS, PEER), List.of());
  }
}
