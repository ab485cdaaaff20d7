package io.github.slotbloom.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class DistinctHashesTest {

  private static final long[] HASHES = new Random(6).longs(20_000).distinct().toArray();

  private static DistinctHashes counted(int parts, int part) {
    DistinctHashes distinct = new DistinctHashes(parts, part);
    for (int round = 0; round < 3; round++) {
      LongStream.of(HASHES).forEach(distinct::add);
    }
    return distinct;
  }

  @Test
  void equalHashesCountOnce() {
    assertThat(counted(1, 0).countWithout(LongStream.empty())).isEqualTo(HASHES.length);
  }

  @Test
  void thePartsAddUpToTheWhole() {
    long sum = 0;
    for (int part = 0; part < 4; part++) {
      long count = counted(4, part).countWithout(LongStream.empty());
      assertThat(count).isBetween(HASHES.length / 5L, HASHES.length / 3L);
      sum += count;
    }
    assertThat(sum).isEqualTo(HASHES.length);
  }

  @Test
  void givenHashesAreLeftOut() {
    LongStream others = LongStream.concat(LongStream.of(HASHES).limit(500), LongStream.of(1, 2, 3));
    assertThat(counted(1, 0).countWithout(others)).isEqualTo(HASHES.length - 500);
  }
}
