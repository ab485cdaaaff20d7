package io.github.slotbloom.cli.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.slotbloom.FilterInfo;
import io.github.slotbloom.cli.page.HeatGrid.Tone;
import io.github.slotbloom.cli.page.RateChart.Tick;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Where things are drawn, and how numbers are written. */
class GeometryTest {

  @Test
  void scalesEndAtTheirEnds() {
    Scale linear = Scale.linear(0, 200);
    assertThat(linear.position(50)).isEqualTo(0.25);
    assertThat(linear.position(-1)).isZero();
    assertThat(linear.position(201)).isEqualTo(1);

    Scale logarithmic = Scale.logarithmic(1e-6, 1e-2);
    assertThat(logarithmic.position(1e-5)).isCloseTo(0.25, within(1e-12));
    assertThat(logarithmic.position(0)).isZero();
    assertThat(logarithmic.position(1)).isEqualTo(1);
  }

  @Test
  void ticksAreRoundNumbers() {
    assertThat(Ticks.counts(625_000, 5)).containsExactly(0.0, 200_000.0, 400_000.0, 600_000.0);
    assertThat(Ticks.counts(4, 5)).containsExactly(0.0, 1.0, 2.0, 3.0, 4.0);
    assertThat(Ticks.counts(1.25, 5)).containsExactly(0.0, 1.0);
    assertThat(Ticks.roundedUp(3.48)).isEqualTo(5);
    assertThat(Ticks.roundedUp(5.1)).isEqualTo(10);
    assertThat(Ticks.decades(-3, -1)).containsExactly(-3, -2, -1);
  }

  @Test
  void numbersAreWrittenForPeople() {
    assertThat(List.of(0.0, 1.0, 0.28, 0.001, 0.000_323, 2.34e-7, 1e-12))
        .extracting(Notation::rate)
        .containsExactly(
            "0\u00a0%",
            "100\u00a0%",
            "28\u00a0%",
            "0.1\u00a0%",
            "0.032\u00a0%",
            "2.3\u00a0×\u00a010⁻⁷",
            "1\u00a0×\u00a010⁻¹²");
    assertThat(List.of(0.0, 0.000_04, 0.599, 0.9999, 1.0, 3.48))
        .extracting(Notation::used)
        .containsExactly(
            "0\u00a0%", "0.004\u00a0%", "59.9\u00a0%", "99.9\u00a0%", "100\u00a0%", "348\u00a0%");
    assertThat(List.of(0.0, 500.0, 200_000.0, 1_500_000.0, 1e12))
        .extracting(Notation::compact)
        .containsExactly("0", "500", "200\u00a0k", "1.5\u00a0M", "1\u00a0T");
    assertThat(List.of(8L, 19_456L, 1_086_976L, 1L << 42))
        .extracting(Notation::bytes)
        .containsExactly("8\u00a0bytes", "19.0\u00a0KiB", "1.0\u00a0MiB", "4,096\u00a0GiB");
    assertThat(Notation.time(Examples.CREATED)).isEqualTo("2 January 2026, 03:04 UTC");
  }

  @Test
  void theGaugeHasRoomBeyondTheCapacity() {
    GaugeArc half = new GaugeArc(0.625);
    assertThat(half.filled()).isEqualTo("M40.0 150.0A120.0 120.0 0 0 1 160.0 30.0");
    assertThat(half.track()).endsWith("280.0 150.0");
    assertThat(half.endLabel()).isEqualTo("125\u00a0%");
    assertThat(half.isOverfull()).isFalse();
    assertThat(half.isWarningNamed()).isTrue();

    GaugeArc over = new GaugeArc(3.48);
    assertThat(over.endLabel()).isEqualTo("500\u00a0%");
    assertThat(over.isOverfull()).isTrue();
    assertThat(over.filled().substring(over.filled().lastIndexOf(" 1 ") + 3))
        .as("what is beyond begins where the rest ends")
        .isEqualTo(over.beyond().substring(1, over.beyond().indexOf('A')));
    assertThat(over.isWarningNamed()).isFalse();
    assertThat(new GaugeArc(0).hasKeys()).isFalse();
  }

  @Test
  void theCurveMeetsItsTargetAtCapacity() {
    FilterInfo info = new Examples().info();
    RateModel model = new RateModel(info);
    assertThat(model.expected(0)).isZero();
    assertThat(model.expected(info.capacity())).isBetween(0.0009, 0.001);
    assertThat(model.expected(info.keysAdded()))
        .as("sizing against the bits that were really set")
        .isCloseTo(model.now(), within(0.2 * model.now()));

    RateChart chart = new RateChart(info, model);
    assertThat(chart.keyTicks())
        .extracting(Tick::label)
        .containsExactly("0", "5\u00a0k", "10\u00a0k");
    assertThat(chart.keyTicks()).extracting(Tick::at).containsExactly("0.00%", "40.00%", "80.00%");
    assertThat(chart.rateTicks())
        .extracting(Tick::label)
        .startsWith("0.00001\u00a0%")
        .endsWith("0.1\u00a0%", "1\u00a0%");
    assertThat(chart.capacityX()).isEqualTo("80.00%");
    assertThat(chart.warningX()).isEqualTo("64.00%");
    assertThat(chart.todayX()).isEqualTo("40.00%");
    assertThat(heights(chart.curve())).hasSize(101).isSortedAccordingTo((a, b) -> b.compareTo(a));
    assertThat(chart.isGrown()).isFalse();
  }

  @Test
  void olderGenerationsKeepTheirRate() {
    Examples grown = new Examples();
    grown.capacity = 30_000;
    grown.keysAdded = 16_000;
    FilterInfo info =
        grown.generation(10_000, 0.0005, 10_000).generation(20_000, 0.00025, 6_000).info();
    RateModel model = new RateModel(info);
    double older = info.generations().get(0).currentFalsePositiveRate();
    assertThat(model.before()).isEqualTo(10_000);
    assertThat(model.expected(10_000)).isCloseTo(older, within(1e-12));
    assertThat(model.expected(30_000)).isBetween(older + 0.0002, older + 0.00025);

    RateChart chart = new RateChart(info, model);
    assertThat(chart.isGrown()).isTrue();
    assertThat(chart.curve()).startsWith("M266.7 ");
  }

  @Test
  void ratesFarBelowOneAreNotLost() {
    Examples filter = new Examples();
    filter.target = 1e-14;
    RateModel model = new RateModel(filter.info());
    assertThat(model.expected(5_000)).isBetween(1e-18, 1e-15);
    assertThat(heights(new RateChart(filter.info(), model).curve()))
        .isSortedAccordingTo((a, b) -> b.compareTo(a))
        .doesNotHaveDuplicates();
  }

  @Test
  void theMapHasACellForEachRange() {
    Examples filter = new Examples();
    HeatGrid grid = new HeatGrid(filter.maps().get(0), filter.layout);
    int ranges = filter.maps().get(0).ranges().size();
    assertThat(ranges).isBetween(300, Evidence.MOST_RANGES);
    assertThat(
            grid.tones().stream()
                .map(Tone::cells)
                .mapToLong(path -> Pattern.compile("M").matcher(path).results().count())
                .sum())
        .isEqualTo(ranges);
    assertThat(grid.tones()).extracting(Tone::tone).allMatch(tone -> tone > 0 && tone < 8);
    assertThat(grid.width()).isEqualTo(480);
    assertThat(grid.height()).isEqualTo(10 * ((ranges + 47) / 48));
  }

  private static List<Double> heights(String curve) {
    return Pattern.compile("[ML]\\S+ (\\S+?)(?=L|$)")
        .matcher(curve)
        .results()
        .map(point -> Double.valueOf(point.group(1)))
        .toList();
  }

  @Test
  void theFirstBucketsOfAWindowTakeTheirPartOfTheChart() {
    BucketChart chart = new BucketChart(new Examples().week(400, 500).info());
    assertThat(chart.bars()).extracting(BucketChart.Bar::width).containsOnly("13.14%");
    assertThat(chart.bars()).extracting(BucketChart.Bar::x).containsExactly("72.00%", "86.29%");
    assertThat(chart.timeTicks()).extracting(Tick::at).containsExactly("71.43%", "85.71%");
  }

  @Test
  void aFilterFarBeyondItsCapacityFitsIntoTheGauge() {
    assertThat(Notation.usedInShort(0.934)).isEqualTo("93.4\u00a0%");
    assertThat(Notation.usedInShort(0.34963)).isEqualTo("35\u00a0%");
    assertThat(Notation.usedInShort(0.99999)).isEqualTo("99.9\u00a0%");
    assertThat(Notation.usedInShort(1.2345)).isEqualTo("123\u00a0%");
    assertThat(Notation.usedInShort(9.5)).isEqualTo("950\u00a0%");
    assertThat(Notation.usedInShort(127.73)).isEqualTo("127\u00a0×");
  }
}
