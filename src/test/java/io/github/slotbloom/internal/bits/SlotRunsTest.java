package io.github.slotbloom.internal.bits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.slotbloom.core.BloomParameters;
import io.github.slotbloom.core.Layout;
import io.github.slotbloom.error.InvalidParameterException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Slots as runs of bytes. */
class SlotRunsTest {

  private static final BloomParameters SHAPE = new BloomParameters(Layout.STANDARD, 1000, 3);

  private static Map<Long, Long> read(byte[] bytes, long after) {
    Map<Long, Long> slots = new TreeMap<>();
    SlotRuns.read(ByteBuffer.wrap(bytes), after, SHAPE, slots::put);
    return slots;
  }

  @Test
  void neighborsShareARunAndTheRestIsRefusedWithoutRoom() {
    SlotRuns runs = new SlotRuns(12 + 8 + 8 + 12 + 8);
    assertThat(runs.isEmpty()).isTrue();
    assertThat(runs.offer(0, 7)).isTrue();
    assertThat(runs.offer(1, 0)).isTrue();
    assertThat(runs.offer(3, -1)).isTrue();
    assertThat(runs.offer(4, 1)).isFalse();
    byte[] taken = runs.take();
    assertThat(taken).hasSize(48);
    assertThat(read(taken, -1)).isEqualTo(Map.of(0L, 7L, 1L, 0L, 3L, -1L));
    assertThat(runs.isEmpty()).isTrue();
    assertThat(runs.offer(4, 1)).isTrue();
    assertThat(read(runs.take(), 3)).isEqualTo(Map.of(4L, 1L));
  }

  private static byte[] run(long first, int count, long... bits) {
    ByteBuffer bytes = ByteBuffer.allocate(12 + 8 * bits.length).putLong(first).putInt(count);
    bytes.asLongBuffer().put(bits);
    return bytes.array();
  }

  @Test
  void invalidRunsAreRefused() {
    for (byte[] wrong :
        new byte[][] {
          {},
          new byte[11],
          run(2, 1, 1),
          run(16, 1, 1),
          run(-1, 1, 1),
          run(3, 0),
          run(3, -1, 1),
          run(3, 2, 1),
          run(15, 2, 1, 1),
          run(15, 1, 1L << 40),
          run(3, Integer.MAX_VALUE, 1)
        }) {
      assertThatThrownBy(() -> read(wrong, 2)).isInstanceOf(InvalidParameterException.class);
    }
    assertThat(read(run(15, 1, (1L << 40) - 1), 2)).hasSize(1);
  }
}
