package io.github.slotbloom.internal.replace;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.internal.time.TimeSource;
import org.junit.jupiter.api.Test;

class PaceTest {

  @Test
  void batchesAreLargeAloneAndSmallAmongOthers() {
    Pace pace = new Pace(Long.MAX_VALUE, TimeSource.SYSTEM);
    assertThat(pace.keys()).isEqualTo(256);
    for (int keys : new int[] {512, 1024, 1024}) {
      pace.sawOthers(false);
      assertThat(pace.keys()).isEqualTo(keys);
    }
    for (int keys : new int[] {512, 256, 256}) {
      pace.sawOthers(true);
      assertThat(pace.keys()).isEqualTo(keys);
    }
  }

  @Test
  void batchesTakeNoMoreThanAQuarterOfASecond() {
    Pace slow = new Pace(100, TimeSource.SYSTEM);
    slow.sawOthers(false);
    assertThat(slow.keys()).isEqualTo(25);
    assertThat(new Pace(1, TimeSource.SYSTEM).keys()).isEqualTo(1);
  }
}
