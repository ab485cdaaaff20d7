package io.github.slotbloom.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Times are written as they are read. */
class TimeSpanTest {

  @ParameterizedTest
  @CsvSource({"7d,7d", "24h,1d", "36h,36h", "90m,90m", "90s,90s", "3600s,1h", "120s,2m"})
  void aTimeIsWrittenInTheLargestUnitThatFits(String given, String written) {
    assertThat(TimeSpan.of(new TimeSpan().convert(given))).isEqualTo(written);
  }

  @Test
  void partsOfASecondAreWrittenToo() {
    assertThat(TimeSpan.of(Duration.ofMillis(11_250))).isEqualTo("11.25s");
  }
}
