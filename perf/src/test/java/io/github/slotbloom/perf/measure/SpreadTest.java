package io.github.slotbloom.perf.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SpreadTest {

  @Test
  void theMedianOfAnOddNumberIsTheOneInTheMiddle() {
    assertThat(Spread.of(9, 1, 5)).isEqualTo(new Spread(5, 1, 9));
  }

  @Test
  void theMedianOfAnEvenNumberLiesBetweenTheTwoInTheMiddle() {
    assertThat(Spread.of(10, 1, 4, 2)).isEqualTo(new Spread(3, 1, 10));
  }

  @Test
  void oneFigureHasNoSpread() {
    assertThat(Spread.of(7)).isEqualTo(new Spread(7, 7, 7));
  }

  @Test
  void theFiguresStayInTheirOrder() {
    double[] values = {3, 1, 2};

    Spread.of(values);

    assertThat(values).containsExactly(3, 1, 2);
  }

  @Test
  void noFiguresAreAnError() {
    assertThatThrownBy(Spread::of).isInstanceOf(IllegalArgumentException.class);
  }
}
