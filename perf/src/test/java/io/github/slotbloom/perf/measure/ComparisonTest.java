package io.github.slotbloom.perf.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
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
    assertThat(verdict(2, 4, 5, 6)).contains(Verdict.MET);
    assertThat(verdict(3, 4, 5, 6)).contains(Verdict.MISSED);
  }

  @Test
  void aGoalIsInDoubtIfTheRoundsOfOneSideAreFarApart() {
    assertThat(verdict(2, 4, 8, 8)).contains(Verdict.MET);
    assertThat(verdict(2, 4, 8, 9)).contains(Verdict.DOUBTFUL);
    assertThat(verdict(9, 4, 8, 9)).contains(Verdict.DOUBTFUL);
  }

  @Test
  void aDisturbedRoundAmongMoreDoesNoHarm() {
    assertThat(verdict(2, 5, 5, 5, 100)).contains(Verdict.MET);
    assertThat(verdict(2, 5, 5, 100, 100)).contains(Verdict.DOUBTFUL);
  }

  @Test
  void aGoalIsInDoubtIfOneSideIsFarFromItsNeighbour() {
    Comparison alone = rates(10, 10, 10);
    Goal goal = new Goal("Slotbloom", "peer", 2, "2 times");

    assertThat(alone.beside(rates(20, 20, 20)).verdict(goal)).contains(Verdict.MET);
    assertThat(alone.beside(rates(21, 21, 21)).verdict(goal)).contains(Verdict.DOUBTFUL);
    assertThat(rates(21, 21, 21).beside(alone).verdict(goal)).contains(Verdict.DOUBTFUL);
  }

  private static Optional<Verdict> verdict(double times, double... ours) {
    return rates(ours).verdict(new Goal("Slotbloom", "peer", times, ""));
  }

  /** The peer has a rate of 2 in each round. */
  private static Comparison rates(double... ours) {
    double[] peers = new double[ours.length];
    Arrays.fill(peers, 2);
    return new Comparison(
        "title",
        "unit",
        Better.HIGHER,
        List.of(new Series("Slotbloom", "", ours), new Series("peer", "", peers)),
        List.of());
  }

  @Test
  void aGoalAgainstAnAbsentPeerIsNotMeasured() {
    Goal goal = new Goal("Slotbloom", "somebody else", 2, "2 times");

    assertThat(comparison(Better.HIGHER).reached(goal)).isEmpty();
    assertThat(comparison(Better.HIGHER).verdict(goal)).isEmpty();
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
