package io.github.slotbloom.internal.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many keys a merge counts. */
class MergingTest {

  @ParameterizedTest
  @CsvSource({
    // disjoint, and an estimate that is too high
    "100, 50, 151.2, 50, 100",
    "100, 50, 149.6, 50, 100",
    "100, 50, 149.4, 50, 99",
    // all in common
    "100, 100, 100.4, 100, 0",
    // all of the other one's are in the larger one, and an estimate that is too low
    "100, 50, 98.0, 50, 50",
    // what an attempt before counted is not counted again, though its bits did not come
    "100, 150, 60.0, 150, 0",
    "100, 150, 150.3, 150, 0",
    "0, 10, 10.0, 10, 0",
    // somebody added a key after the keys of the taker were counted, and before its bits were read
    "1, 3, 4.0, 4.0, 0",
    "1, 0, 2.0, 1.0, 1"
  })
  void countsStayWithinTheirCertainBounds(
      long source, long taker, double union, double ofTaker, long newKeys) {
    assertThat(Merging.newKeys(source, taker, union, ofTaker)).isEqualTo(newKeys);
  }
}
