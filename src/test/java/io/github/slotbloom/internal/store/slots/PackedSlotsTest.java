package io.github.slotbloom.internal.store.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PackedSlotsTest {

  private static final String TEXT = "3 18446744073709551615;0 1;12 9223372036854775808;";
  private static final Map<Long, Long> SLOTS = Map.of(1003L, -1L, 1000L, 1L, 1012L, Long.MIN_VALUE);

  private final Map<Long, Long> read = new HashMap<>();

  private boolean unpack(String text, int count) {
    return PackedSlots.unpack(text, count, 1000, read::put);
  }

  @Test
  void allSlotsAreReadWithAllTheirBits() {
    assertThat(unpack(TEXT, 3)).isTrue();
    assertThat(read).isEqualTo(SLOTS);
  }

  @Test
  void aTruncatedTextIsRefused() {
    for (int length = 0; length < TEXT.length(); length++) {
      assertThat(unpack(TEXT.substring(0, length), 3)).as(TEXT.substring(0, length)).isFalse();
      assertThat(read).isEmpty();
    }
  }
}
