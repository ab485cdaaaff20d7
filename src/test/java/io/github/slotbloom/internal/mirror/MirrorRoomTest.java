package io.github.slotbloom.internal.mirror;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.FilterName;
import io.github.slotbloom.core.Layout;
import java.util.List;
import org.junit.jupiter.api.Test;

class MirrorRoomTest {

  private static final long GIB_BITS = 8L << 30;

  @Test
  void aHeapThatIsTooSmallIsToldWithOneThatWillDo() {
    BloomParameters parameters = new BloomParameters(Layout.STANDARD, 3 * GIB_BITS, 7);
    assertThat(MirrorRoom.tooLarge(new FilterName("x"), List.of(parameters, parameters)))
        .hasMessageContainingAll(
            "A mirror of filter x takes 6,144 MiB, but the heap",
            "Allow more (-Xmx8g), or open the filter without a mirror");
  }
}
