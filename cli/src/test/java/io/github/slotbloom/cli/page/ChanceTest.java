package io.github.slotbloom.cli.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.cli.page.HeatGrid.Outlier.Kind;
import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.report.HeatMap;
import io.github.slotbloom.report.HeatMap.Range;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What is taken for chance in filters that were really filled, and what is not. */
class ChanceTest {

  /** From one key to four times the capacity, where nearly all bits are set. */
  @ParameterizedTest
  @CsvSource({
    "STANDARD, 200", "STANDARD, 20_000", "STANDARD, 300_000",
    "BLOCKED, 200", "BLOCKED, 20_000", "BLOCKED, 300_000"
  })
  void aSoundFilterRaisesNoAlarm(Layout layout, String written) {
    long capacity = Long.parseLong(written.replace("_", ""));
    for (double full : new double[] {0, 0.01, 0.05, 0.2, 0.6, 1, 4}) {
      Examples filter = new Examples();
      filter.layout = layout;
      filter.capacity = capacity;
      filter.keysAdded = Math.max(1, (long) (full * capacity));
      HeatGrid grid = new HeatGrid(filter.maps().get(0), layout);
      assertThat(grid.outliers()).as("full to %s", full).isEmpty();
      assertThat(grid.missingRows()).as("full to %s", full).isZero();
    }
  }

  /** The bound is of use only if it is not much farther out than chance ever gets. */
  @ParameterizedTest
  @EnumSource(Layout.class)
  void theVarianceIsRight(Layout layout) {
    Examples filter = new Examples();
    filter.layout = layout;
    filter.capacity = 300_000;
    filter.keysAdded = 200_000;
    HeatMap map = filter.maps().get(0);
    Chance chance =
        new Chance(
            new BloomParameters(layout, map.bits(), map.hashes()),
            map.bitsSet(),
            map.ranges().size());
    long bits = map.slotsPerRange() * Long.SIZE;
    double measured =
        map.ranges().stream()
            .mapToDouble(Range::fill)
            .map(fill -> Math.pow((fill - map.fill()) * bits, 2))
            .average()
            .orElseThrow();
    // The standard deviation of a variance that is measured with 700 values is 5 %.
    assertThat(measured / chance.variance(bits)).isBetween(0.75, 1.25);
    assertThat(chance.limit(bits) / Math.sqrt(measured)).isBetween(6.0, 10.0);
  }

  /** Of a filter with 80,000 keys. */
  private static HeatGrid changed(Layout layout, Examples.Change change) {
    Examples filter = new Examples();
    filter.layout = layout;
    filter.capacity = 100_000;
    filter.keysAdded = 80_000;
    return new HeatGrid(filter.changed(change).maps().get(0), layout);
  }

  @ParameterizedTest
  @EnumSource(Layout.class)
  void lostAndSetBitsAreFound(Layout layout) {
    HeatGrid grid =
        changed(
            layout,
            slots -> {
              Arrays.fill(slots, 4_000, 4_100, 1);
              Arrays.fill(slots, 8_000, 8_100, -1);
            });
    assertThat(grid.outliers())
        .extracting(HeatGrid.Outlier::kind)
        .contains(Kind.TOO_EMPTY, Kind.TOO_FULL)
        .doesNotContain(Kind.ROWS_MISSING);
    assertThat(grid.outliers())
        .allSatisfy(
            outlier ->
                assertThat(outlier.range().firstSlot())
                    .matches(slot -> slot > 3_900 && slot < 4_100 || slot > 7_900 && slot < 8_100));
    assertThat(grid.tones()).extracting(HeatGrid.Tone::tone).contains(0, 8);
    assertThat(grid.marks()).hasSameSizeAs(grid.outliers());
  }

  @Test
  void aLastSlotOfAFewBitsMayHaveNoRow() {
    List<Range> ranges = List.of(new Range(0, 100, 100, 3_200), new Range(100, 1, 0, 0));
    HeatMap map = new HeatMap(1, true, "bloom_bits_words_v1", 6_402, 7, 101, 100, ranges);
    assertThat(new HeatGrid(map, Layout.STANDARD).outliers()).isEmpty();
    HeatMap whole = new HeatMap(1, true, "bloom_bits_words_v1", 6_464, 7, 101, 100, ranges);
    assertThat(new HeatGrid(whole, Layout.STANDARD).missingRows()).isEqualTo(1);
  }

  /** Far fewer bits than a range varies by. */
  @ParameterizedTest
  @EnumSource(Layout.class)
  void aFewRowsThatAreMissingAreFound(Layout layout) {
    HeatGrid grid =
        changed(
            layout,
            slots -> {
              for (int slot = 100; slot < 20_000; slot += 1_000) {
                slots[slot] = 0;
              }
            });
    assertThat(grid.missingRows()).isEqualTo(20);
    assertThat(grid.outliers())
        .hasSize(20)
        .extracting(HeatGrid.Outlier::kind)
        .containsOnly(Kind.ROWS_MISSING);
  }
}
