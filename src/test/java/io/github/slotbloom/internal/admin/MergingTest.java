package io.github.slotbloom.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many keys a merge counts. */
class MergingTest {

  @ParameterizedTest
  @CsvSource({
    // disjoint, and an estimate that is too high
    "100, 50, 151.2, 100",
    "100, 50, 149.6, 100",
    "100, 50, 149.4, 99",
    // all in common
    "100, 100, 100.4, 0",
    // all of the other one's are in the larger one, and an estimate that is too low
    "100, 50, 98.0, 50",
    // what an attempt before counted is not counted again, though its bits did not come
    "100, 150, 60.0, 0",
    "100, 150, 150.3, 0",
    "0, 10, 10.0, 0"
  })
  void countsStayWithinTheirCertainBounds(long source, long taker, double union, long newKeys) {
    assertThat(Merging.newKeys(source, taker, union)).isEqualTo(newKeys);
  }
}
