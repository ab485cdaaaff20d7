package io.github.slotbloom.perf.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FiguresTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          0          | 0
          5          | 5
          1234567.8  | 1,234,568
          123.4      | 123
          12.345     | 12.3
          1.2345     | 1.23
          0.98765    | 0.988
          0.012345   | 0.012
          0.00012345 | 0.000123
          -12.345    | -12.3
          """)
  void figuresHaveThreeSignificantDigits(double value, String text) {
    assertThat(Figures.of(value)).isEqualTo(text);
  }
}
