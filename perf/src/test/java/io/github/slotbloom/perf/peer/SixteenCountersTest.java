package io.github.slotbloom.perf.peer;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SixteenCountersTest {

  @ParameterizedTest
  @ValueSource(ints = {0, 7, 15})
  void oneCounterCountsAndItsNeighborsDoNot(int index) {
    long two = SixteenCounters.up(SixteenCounters.up(0, index), index);

    for (int other = 0; other < SixteenCounters.COUNTERS; other++) {
      assertThat(SixteenCounters.at(two, other)).isEqualTo(other == index ? 2 : 0);
    }
    assertThat(SixteenCounters.down(SixteenCounters.down(two, index), index)).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 15})
  void aCounterThatLostCountStays(int index) {
    long full = 0;
    for (int i = 0; i < SixteenCounters.MOST + 1; i++) {
      full = SixteenCounters.up(full, index);
    }

    assertThat(SixteenCounters.at(full, index)).isEqualTo(SixteenCounters.MOST);
    assertThat(SixteenCounters.down(full, index)).isEqualTo(full);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 15})
  void nothingIsLessThanZero(int index) {
    assertThat(SixteenCounters.down(0, index)).isZero();
  }
}
