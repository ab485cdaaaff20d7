package io.github.slotbloom.perf.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class CallTimesTest {

  private static final long MILLI = 1_000_000;

  @Test
  void aCallCountsInATimeThatItTouches() {
    CallTimes times = new CallTimes(3);
    times.add(0, 10 * MILLI);
    times.add(10 * MILLI, 12 * MILLI);
    times.add(12 * MILLI, 13 * MILLI);
    assertThat(times.percentile(11 * MILLI, 20 * MILLI, 1)).isEqualTo(2);
    assertThat(times.percentile(11 * MILLI, 20 * MILLI, 0.5)).isEqualTo(1);
    assertThat(times.percentile(5 * MILLI, 10 * MILLI, 1)).isEqualTo(10);
    assertThatThrownBy(() -> times.percentile(14 * MILLI, 20 * MILLI, 1))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
